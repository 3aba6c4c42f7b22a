"""What the messages of a conversation cost, how they are read as it grows, and how readings are shared."""

from __future__ import annotations

from conversations import Letters, assistant, system, tool, user

from quaestor.window.conversation_costs import ConversationCosts, _CostsCache, as_counter
from quaestor.window.window_values import Decision


def test_a_conversation_that_grows_is_read_as_one_that_is_whole() -> None:
    messages = [
        *[system("s"), tool("lost", "9"), user("a"), assistant("b", "1"), tool("x", "1"), tool("y", "1")],
        *[user("c"), assistant("d", "2"), user("e")],
    ]
    growing = ConversationCosts(Letters())
    for end in range(1, len(messages) + 1):
        growing.follow(messages[:end])
        whole = ConversationCosts(Letters())
        whole.follow(messages[:end])
        assert (growing.units, growing.unit_tokens, growing.faulty) == (whole.units, whole.unit_tokens, whole.faulty)
        assert growing.sendable_messages() == whole.sendable_messages()
    assert growing.unit_tokens == [2, 0, 2, 6, 0, 2, 0, 2]
    assert growing.sendable_messages() == [one for place, one in enumerate(messages) if place not in (1, 5, 7)]
    growing.follow(messages[:3])
    assert (growing.unit_tokens, growing.faulty) == ([2, 0, 2], [1])


def test_each_message_is_decided_on_with_its_cost() -> None:
    reading = ConversationCosts(Letters())
    reading.follow([user("abc"), assistant("de")])
    assert reading.decisions("dropped", "recent", "why") == [
        Decision("message", 0, "dropped", "recent", 0, 4, "why"),
        Decision("message", 1, "dropped", "recent", 0, 3, "why"),
    ]
    assert [one.tokens for one in reading.decisions("kept", "recent", "why")] == [4, 3]


def test_a_tokenizer_counts_within_a_template() -> None:
    class Words:
        name = "words"

        def count(self, text: str) -> int:
            return len(text.split())

    counter = as_counter(Words())  # type: ignore[arg-type]
    assert counter.text("three words here") == 3
    assert counter.message(user("three words here")) >= 3
    assert as_counter(Letters()).text("abc") == 3


def test_readings_are_lent_to_one_at_a_time_and_the_oldest_is_forgotten() -> None:
    counter = Letters()
    cache = _CostsCache(places=1)
    one, other = ConversationCosts(counter), ConversationCosts(counter)
    one.follow([user("a")])
    other.follow([user("b")])
    cache.put(one)
    assert cache.take([user("a")], counter) is one
    assert cache.take([user("a")], counter) is not one, "it is lent"
    cache.put(one)
    cache.put(other)
    assert cache.take([user("a")], counter) is not one
    assert cache.take([user("b")], Letters()) is not other, "another counter counts otherwise"
    assert cache.take([user("b")], counter) is other
