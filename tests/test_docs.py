"""The documentation: built without a warning, whole, and without a network."""

import html.parser
import re
import subprocess
import sys
import zlib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import swviz
from docs import reference

ROOT = Path(__file__).parents[1]
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
"""What a browser fetches by itself."""


class Page(html.parser.HTMLParser):
    """The links of a page, what it loads, and the places that links may lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]):
            # A link to the page itself, for search engines, is not fetched.
            if tag != "link" or given.get("rel") not in ("canonical", "index", "search",
                                                         "next", "prev"):  # fmt: skip
                self.loads.append(given[LOADED[tag]])


# Sphinx as `python -m sphinx` runs it. numpydoc makes an environment for each docstring
# and compiles its one template anew in it, hundreds of times: they share a cache. And
# there is no garbage worth looking for in a process of half a minute.
SPHINX = """
import gc, sys
from functools import partialmethod
from jinja2 import FileSystemBytecodeCache
from jinja2.sandbox import SandboxedEnvironment
from sphinx.cmd.build import main
gc.disable()
folder, *arguments = sys.argv[1:]
SandboxedEnvironment.__init__ = partialmethod(
    SandboxedEnvironment.__init__, bytecode_cache=FileSystemBytecodeCache(folder)
)
sys.exit(main(arguments))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, as `make docs` builds it: any warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    cache = tmp_path_factory.mktemp("templates")
    answer = subprocess.run(
        [sys.executable, "-c", SPHINX, cache, "-W", "--keep-going", "-q",
         "-c", "docs", "-d", folder / "doctrees", ".", folder / "html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert answer.stderr == ""
    assert answer.returncode == 0
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {
        path: Page(path)
        for path in site.rglob("*.html")
        # Bokeh's page, not Sphinx's.
        if path.name != "slices.html"
    }


def test_everything_public_is_in_the_reference(site):
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    found = {line.split()[0] for line in zlib.decompress(inventory).decode().split("\n")
             if line}  # fmt: skip
    wanted = set(reference.all_addresses().values())
    assert len(wanted) > 150
    assert wanted <= found
    for room in ("files", "kernels", "learning", "plot", "sources", "studies"):
        assert f"swviz.{room}" in found
    assert {f"swviz.{name}" for name in swviz.__all__} - {"swviz.lessons"} <= found


def test_links_lead_to_places_that_are_there(site, pages):
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or link == "#":
                continue
            target = (
                (path.parent / unquote(parts.path)).resolve() if parts.path else path
            )
            assert target.exists(), (path.relative_to(site), link)
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].places, (path, link)


def test_nothing_is_fetched_from_elsewhere(site, pages):
    for path, page in pages.items():
        for link in page.loads:
            assert not re.match(r"\w+:|//", link) or link.startswith("data:"), (
                path.relative_to(site),
                link,
            )
    for path in (site / "_static").glob("*.css"):
        assert "url(http" not in path.read_text(), path.name


def test_lessons_are_shown_with_what_they_have_drawn(site):
    lessons = sorted((site / "notebooks").glob("*.html"))
    assert len(lessons) == 5
    for path in lessons:
        assert path.read_text().count("<img alt") >= 5


def test_the_first_page_holds_one_that_turns(site):
    first = site / "docs" / "index.html"
    [source] = re.findall(r'<iframe[^>]*src="([^"]+)"', first.read_text())
    page = (first.parent / source).read_text()
    assert re.search(r"(?:θ|\\u03b8) in degrees", page)
    assert not re.search(r"<(?:script|link)[^>]+(?:src|href)=", page)
