"""The Paper tab in a real browser: what fits stays where it belongs."""

import pytest

from tests.browser.screens import look_at_all_of

TABLES = """elements => elements.map((table) => {
  const holder = table.querySelector(".tabulator-tableholder")
  const card = table.getRootNode().host.getRootNode().host
  const cells = [...table.querySelectorAll(".tabulator-cell")]
    .filter((cell) => cell.innerText.trim())
  return {
    within: table.getBoundingClientRect().bottom
      <= card.getBoundingClientRect().bottom,
    hidden: holder.scrollHeight - holder.clientHeight,
    clipped: cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => cell.innerText),
  }
})"""


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
def test_tables_fit_their_cards_at_every_visit(visit, size):
    page = visit.share("?tab=Paper")
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    for number in range(2):
        if number == 1:
            page.get_by_role("tab", name="Slices").click()
            page.get_by_text("Figure 6: what the kernels do").wait_for(state="hidden")
            page.get_by_role("tab", name="Paper").click()
        page.locator(".tabulator-row").first.wait_for()
        page.get_by_text("Figure 6: what the kernels do").wait_for()
        visit.wait_until_still()
        tables = page.locator(".tabulator").evaluate_all(TABLES)
        assert len(tables) == 2
        for found in tables:
            # Nothing to scroll to inside of it: the wheel moves the page.
            assert found == {"within": True, "hidden": 0, "clipped": []}, number
        visit.keep(f"paper-{size[0]}-{number}")


def test_it_fits_all_screens_in_light_and_dark(visit):
    visit.share("?tab=Paper")
    look_at_all_of(visit, "Paper")
