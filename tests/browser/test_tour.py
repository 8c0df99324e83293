"""The tour in a browser: its keys, its card, and what the page shows meanwhile."""

from swviz.app.shell.tours import lecture

STATIONS = lecture().stations
TOUR = "?tour=2"


def wait_for_station(visit, number):
    page = visit.page
    page.get_by_role("heading", name=STATIONS[number - 1].headline).wait_for()
    visit.wait_for_link(f"tour={number}")


def test_a_lecture_is_given_by_the_keyboard(visit):
    page = visit.share(TOUR)
    wait_for_station(visit, 2)
    answer = page.get_by_text(STATIONS[1].answer)
    assert not answer.is_visible()
    page.keyboard.press("Enter")
    answer.wait_for()
    # The arrows are the tour's now: the line rests where the station has it.
    page.keyboard.press("ArrowRight")
    wait_for_station(visit, 3)
    visit.wait_for_link("theta=-0.9000", "show_projections=yes")
    page.keyboard.press("PageDown")
    wait_for_station(visit, 4)
    visit.wait_for_link("theta=0.7854")
    page.get_by_text("θ in degrees: 45").wait_for()
    assert not answer.is_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageUp")
    wait_for_station(visit, 2)
    # The last question is asked below the eigenvalues of the six diagrams.
    page.get_by_role("button", name=f"9. {STATIONS[8].headline}").click()
    wait_for_station(visit, 9)
    title = page.get_by_text("Eigenvalues of the Gram matrices").first
    title.wait_for()
    page.wait_for_function(
        "(title) => title.getBoundingClientRect().top < innerHeight",
        arg=title.element_handle(),
    )
    visit.keep("tour")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !window.location.search.includes('tour=')")
    assert page.get_by_label("Tour", exact=True).is_hidden()
    # From now on they turn the line again. Enter begins it, and then shows the answer.
    page.get_by_role("button", name="Present").focus()
    page.keyboard.press("Enter")
    wait_for_station(visit, 1)
    page.keyboard.press("ArrowRight")
    wait_for_station(visit, 2)
    page.keyboard.press("Enter")
    answer.wait_for()
    wait_for_station(visit, 2)
    visit.leave_as(TOUR)


def test_what_is_moved_by_hand_gives_the_keys_back(visit):
    page = visit.share(TOUR)
    wait_for_station(visit, 2)
    page.keyboard.press("ArrowLeft")
    wait_for_station(visit, 1)
    page.get_by_text("Enter shows the answer").wait_for()
    level = page.get_by_role("slider", name="Level t")
    level.wait_for()
    visit.wait_until_still()
    box = level.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.keyboard.press("Enter")
    page.get_by_text(STATIONS[0].answer).wait_for()
    page.keyboard.press("ArrowRight")
    wait_for_station(visit, 2)
    # Who has come to a slider by keys moves it by keys.
    page.get_by_role("slider", name="Angle θ in degrees").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => !window.location.search.includes('theta=-0.9000')")
    wait_for_station(visit, 2)


def test_a_tour_of_ones_own_is_opened_and_a_wrong_file_is_told(visit, tmp_path):
    page = visit.share(TOUR)
    own = tmp_path / "own.json"
    text = lecture().to_json().replace("One line", "One line of mine")
    own.write_text(text, encoding="utf-8")

    def choose(file):
        with page.expect_file_chooser() as opened:
            page.get_by_role("button", name="Open a tour").click()
        opened.value.set_files(file)

    choose(own)
    # It begins at its first station.
    visit.wait_for_link("tour=1", "stations=")
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="One line of mine").wait_for()
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{")
    choose(wrong)
    page.get_by_text("cannot be read as JSON").wait_for()
    assert page.get_by_role("heading", name="One line of mine").is_visible()
