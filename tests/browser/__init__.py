import pytest

# What they assert is told as if it were asserted in a test.
pytest.register_assert_rewrite(
    "tests.browser.screens", "tests.browser.tabs", "tests.browser.walk"
)
