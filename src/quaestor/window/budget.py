"""Who pays for what: tokens by section, and what is left."""

from __future__ import annotations

from quaestor.window.window_values import Section


class Budget:
    """Tokens that may be spent, and on what they were.

    Args:
        capacity: tokens of the window without the reserve for the reply.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.sections: dict[Section, int] = {}
        self._held = 0

    @property
    def spent(self) -> int:
        """Tokens spent in all sections."""
        return sum(self.sections.values())

    @property
    def free(self) -> int:
        """Tokens neither spent nor held back; negative when the must-keep messages take too much."""
        return self.capacity - self.spent - self._held

    def spend(self, section: Section, tokens: int) -> None:
        """Charge ``tokens`` to a section; negative ones give back."""
        self.sections[section] = self.sections.get(section, 0) + tokens

    def hold(self, tokens: int) -> None:
        """Keep tokens back for what is decided last: marks and reminders."""
        self._held += tokens

    def release(self) -> None:
        """Let what was held back flow on."""
        self._held = 0
