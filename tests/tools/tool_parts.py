"""Shared by the tests of tools: a repository in several languages, and a count of tokens."""

from __future__ import annotations

import re

from index_of_files import write_files as write  # noqa: F401 - for the tests of tools

RETRY = '''"""Sending again."""

import time

from shop.clock import seconds_of


def send_with_retry(request, send):
    """Send a request, and send it again while the server is busy."""
    for attempt in range(3):
        answer = send(request)
        if answer.status != 503:
            return answer
        time.sleep(seconds_of(attempt))
    raise TimeoutError("send_with_retry gave up")


class Client:
    """Sends requests."""

    def fetch(self, request):
        # send_with_retry is what makes this safe
        return send_with_retry(request, self.send)

    def send(self, request):
        return request
'''

CLOCK = '''"""Time."""


def seconds_of(attempt):
    return 2**attempt
'''

TEST = """from shop.retry import Client, send_with_retry


def test_it_is_sent_again():
    assert send_with_retry(object(), lambda request: request)


def test_client():
    assert Client().fetch(object())
"""

CALLER = """from shop import retry
from shop.retry import send_with_retry


def order(item, *, send_with_retry_limit=3):
    return retry.send_with_retry(item, print)


HANDLERS = {"order": send_with_retry}
"""

CART = """package shop

// Total adds up.
func Total(items []int) int {
	sum := 0
	for _, item := range items {
		sum += price(item)
	}
	return sum
}

func price(item int) int { return item }
"""

GUIDE = """# Kitchen guide

## Sourdough

Feed the starter twice a day. The dough rests for eighteen hours. Call send_with_retry when it is done.
"""

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/retry.py": RETRY,
    "shop/clock.py": CLOCK,
    "shop/orders.py": CALLER,
    "tests/test_retry.py": TEST,
    "go/cart.go": CART,
    "docs/guide.md": GUIDE,
}


def words(text: str) -> int:
    """Count tokens as a plain tokenizer might: words and marks."""
    return len(re.findall(r"\w+|[^\w\s]", text))
