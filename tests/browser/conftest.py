"""A real Chromium that reaches nothing but this machine."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
]


@pytest.fixture(scope="session")
def browser():
    path = next(
        filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None
    )
    if path is None:
        pytest.skip("no Chromium or Chrome on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()
