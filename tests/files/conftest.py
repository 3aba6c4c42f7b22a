"""What tests of walking and of indexing share."""

from __future__ import annotations

from indexing_fixtures import no_settings_of_the_user, root, store  # noqa: F401 - fixtures
