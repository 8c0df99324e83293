def upload(page, *files):
    page.get_by_role("tab", name="Upload").click()
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": name, "mimeType": "text/csv", "buffer": content}
            for name, content in files
        ]
    )


def test_a_good_and_a_bad_file(visit):
    page = visit.open("?tab=Diagrams")
    upload(page, ("good.csv", b"0,1\n0.5,2\n"), ("bad.csv", b"0,1\nzero,2\n"))
    page.get_by_text("bad.csv, line 2").wait_for()
    page.get_by_text("Read good.csv").wait_for()
    page.get_by_text("A · good").wait_for()
    visit.keep("diagrams-upload")
    visit.assert_calm()


def test_markup_in_names_is_shown_and_not_run(visit):
    page = visit.open("?tab=Diagrams")
    name = "<img src=x onerror=window.broken=1>"
    # The file's name becomes the title of the set and the name of its sample.
    upload(page, (f"{name}.csv", b"0,1\n0.5,2\n"))
    page.get_by_text("Read <img").wait_for()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.broken") is None


def test_generate_makes_another_set(visit):
    page = visit.open("?tab=Diagrams&source=functions&preset=figure+1")
    page.get_by_text("A · figure 1: f").wait_for()
    page.get_by_role("combobox").filter(has_text="figure 1").last.click()
    page.get_by_text("finer and finer", exact=True).last.click()
    page.get_by_text("The diagram of g approaches").wait_for()
    page.get_by_role("button", name="Generate").click()
    page.get_by_text("8 diagrams").wait_for()
    page.wait_for_timeout(500)
    visit.assert_calm()
