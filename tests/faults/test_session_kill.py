"""``kill -9`` at any moment of a conversation: what was recorded is whole, and the session goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fault_rounds import Trial
from quaestor.sessions.named_sessions import FolderSessions
from quaestor.sessions.transcript import Transcript

TALKER = Path(__file__).with_name("session_talker.py")
BEGINNER = Path(__file__).with_name("session_beginner.py")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nA question is asked with many words.\n", encoding="utf-8")
    return folder


def talk_until(corpus: Path, session: Path, turns: int, after: float) -> list[str]:
    """Run a talker, kill it ``after`` seconds from the beginning of turn number ``turns``; return what it said."""
    command = [sys.executable, str(TALKER), str(corpus), str(corpus.parent / "home"), str(session)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    said: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line.strip())
            if sum(one.startswith("began") for one in said) == turns:
                time.sleep(after)
                process.send_signal(signal.SIGKILL)
                break
        said += process.stdout.read().split("\n")
    assert process.returncode == -signal.SIGKILL
    return said


@pytest.mark.fault("kill -9 of a session, which goes on", few=2, many=4)
def test_a_killed_session_is_whole_and_goes_on(trial: Trial, corpus: Path, tmp_path: Path) -> None:
    chance = random.Random(4)
    session = tmp_path / "sessions" / "one.session"
    done = 0
    for _ in trial.rounds():
        trial.done += 1
        said = talk_until(corpus, session, turns=3, after=chance.random() * 0.06)
        told = [int(line.split()[1]) for line in said if line.startswith("done")]
        with Transcript.open(session) as transcript:
            turns = transcript.turns()
            finished = [turn for turn in turns if turn.ending.state == "done"]
            assert {turn.ending.state for turn in turns} <= {"done", "unfinished"}
            # What the process said was done is on record; at most one more was done without a word.
            assert set(told) <= {turn.number for turn in finished}
            for turn in finished:
                assert turn.answer.split() == turn.question.split()
            messages, _ = transcript.conversation()
            assert len(messages) == 2 * len(finished)
            for sent in transcript.requests():
                assert sent.messages[-1].content == turns[sent.turn - 1].question
        assert len(finished) > done
        done = len(finished)


@pytest.mark.fault("kill -9 as a session begins", few=4, many=12)
def test_a_session_that_was_killed_as_it_began_is_whole_or_not_there(trial: Trial, tmp_path: Path) -> None:
    chance = random.Random(5)
    for round_ in trial.rounds():
        trial.done += 1
        folder = tmp_path / str(round_)
        with subprocess.Popen([sys.executable, str(BEGINNER), str(folder)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(1 + round_ % 3):
                process.stdout.readline()
            time.sleep(chance.random() * 0.05)
            process.send_signal(signal.SIGKILL)
        infos = FolderSessions(folder).list()
        assert [info.error for info in infos if info.error] == []
        assert len(infos) >= round_ % 3
