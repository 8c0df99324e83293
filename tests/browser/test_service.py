"""Neighbours that wait for nothing, and a server that goes away."""

from tests.browser.conftest import Visit, free_port, serve
from tests.browser.tabs import wait_for_tab

COUNT_LOOKS = """() => {
  const {fetch} = window
  window.looks = 0
  window.fetch = (...asked) => fetch(...asked).finally(() => { window.looks += 1 })
}"""
MAKING = "Making Linked twist map orbits"


def test_a_neighbour_is_answered_while_a_session_computes(visit, context, busy_orbits):
    # Opened first, since two pages side by side with a busy server take their time.
    neighbour = Visit(context.new_page(), visit.address)
    other = neighbour.open("?tab=Diagrams")
    other.get_by_text("Every feature is a point and a bar.").wait_for()
    page = visit.open("?tab=Diagrams&source=orbits&preset=paper")
    page.get_by_text(MAKING).wait_for()
    other.get_by_role("button", name="Copy as Python").click()
    other.get_by_label("Python", exact=True).wait_for()
    # The first message of a part that came after the page.
    other.get_by_role("button", name="Copy", exact=True).click()
    other.get_by_text("Copied.").wait_for()
    neighbour.assert_calm()
    other.close()
    assert page.get_by_text(MAKING).is_visible()


def test_a_page_says_that_its_server_is_gone_and_comes_back_with_it(visit, tmp_path):
    port = free_port()
    page = visit.page
    first = serve(port, tmp_path)
    try:
        visit.address = f"http://127.0.0.1:{port}/app"
        visit.open("?tab=Diagrams&M=34&theme=dark")
        visit.wait_for_link()
        gone = page.get_by_role("alert").filter(has_text="The server does not answer")
        assert not gone.is_visible()
        page.get_by_role("slider", name="Directions M").press("ArrowRight")
        visit.wait_for_link("M=36")
        # A set that no link can carry: this window has it again, too.
        rows = "".join(f"{k},{k + 1}\n" for k in range(70)).encode()
        file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": rows}
        page.get_by_role("tab", name="Upload").click()
        page.locator("input[type=file]").first.set_input_files([file])
        page.get_by_role("button", name="Use this set").click()
        visit.wait_for_link("source=upload")
        page.wait_for_function(
            "() => (sessionStorage.getItem('swviz-workspace') ?? '').includes('mine')"
        )
        visit.assert_calm()
        first.kill()
        first.wait()
        gone.wait_for()
        visit.wait_until_still()
        visit.keep("server-gone")
        # In vain: the page stays as it is.
        page.evaluate(COUNT_LOOKS)
        gone.get_by_role("button", name="Reload").click()
        page.wait_for_function("() => window.looks > 0")
        assert gone.is_visible()
        assert page.get_by_text("Every feature is a point and a bar.").is_visible()
    finally:
        first.kill()
        first.wait()
    second = serve(port, tmp_path)
    try:
        gone.wait_for(state="hidden")
        page.get_by_text("Every feature is a point and a bar.").wait_for()
        page.get_by_text("Directions M: 36").wait_for()
        page.get_by_text("mine.csv", exact=True).first.wait_for()
        notice = page.get_by_text("This link leads to the uploaded set")
        notice.wait_for(state="detached")
        wait_for_tab(page, "Diagrams")
        dark = page.locator(".main").evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        assert dark == "rgb(15, 22, 29)"
        # Requests to no server are complained about, once each.
        complaints, visit.console[:] = list(visit.console), []
        assert all("ERR_CONNECTION" in one or "ocket" in one for one in complaints)
        # Or it complains of the next server, too.
        visit.forget()
    finally:
        second.kill()
        second.wait()
