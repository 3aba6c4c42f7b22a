"""Sessions of thousands of messages: composing costs in proportion to what is new."""

from __future__ import annotations

from quaestor.core.messages import Message
from quaestor.window import Recall, compose


def spoken(number: int) -> list[Message]:
    words = ["lake", "paint", "retry", "budget", "token", "window", "river", "kayak", "garden", "letter"]
    return [
        Message("user" if n % 2 == 0 else "assistant", f"{words[n % 10]} {words[n // 10 % 10]} remark {n} " * 4)
        for n in range(number)
    ]


class Counting:
    """A tokenizer that remembers how much it was given to count."""

    name = "letters"
    exact = True

    def __init__(self) -> None:
        self.letters = 0

    def count(self, text: str) -> int:
        self.letters += len(text)
        return len(text) // 4 + 1


def test_the_next_window_of_ten_thousand_messages() -> None:
    recall, tokenizer = Recall(), Counting()
    messages = [Message("system", "Be brief."), *spoken(10_000), Message("user", "What about the kayak?")]
    compose(messages, limit=4096, recall=recall, tokenizer=tokenizer)
    assert tokenizer.letters > 10_000
    for number in range(8):
        tokenizer.letters = 0
        messages = [*messages, Message("assistant", f"Reply {number}."), Message("user", f"And garden {number}?")]
        window = compose(messages, limit=4096, recall=recall, tokenizer=tokenizer)
        assert len(window.decisions) == len(messages)
        # Besides the two new messages, marks are counted, but none of the ten thousand.
        assert tokenizer.letters < 2_000


def test_a_thousand_turns_through_a_small_window() -> None:
    recall = Recall()
    messages = [Message("system", "Be brief.")]
    for turn in range(1000):
        told = "My sister Agatha breeds llamas." if turn == 3 else f"Turn {turn}: the weather is mild, isn't it?"
        messages.append(Message("user", told if turn != 900 else "What does my sister breed?"))
        if turn % 50 == 0 or turn == 900:
            window = compose(messages, limit=4096, recall=recall)
            assert window.tokens + 500 <= 4096
        if turn == 900:
            assert any("llamas" in message.content for message in window.messages)
        messages.append(Message("assistant", f"Yes, on day {turn} it is mild, as far as I can see from here."))
