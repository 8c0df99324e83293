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
