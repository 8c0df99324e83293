"""What figures of the Learn view send to the browser."""

import numpy as np
from bokeh.document import Document
from bokeh.models import ColumnDataSource
from bokeh.protocol import Protocol

from swviz.app.tabs.learn.figures import MapFigure
from swviz.learning import map_samples


def put_on_a_page():
    figure = MapFigure()
    document = Document()
    document.add_root(figure.plot)
    return figure, document


def show(figure, similarity, count):
    """Draw a map of some samples."""
    gram = np.full((count, count), similarity) + (1 - similarity) * np.eye(count)
    names = [f"sample {k}" for k in range(count)]
    nobody = np.empty(0, dtype=np.intp)
    figure.show(map_samples(gram), names, None, nobody, fit=False)


def sent_by(document, change):
    """Return the messages of changes, each read when all are made.

    So does a server whose line to the page is busy.
    """
    events = []
    document.on_change(events.append)
    change()
    document.remove_on_change(events.append)
    return [
        message
        for event in events
        for message in Protocol().create("PATCH-DOC", [event]).content["events"]
    ]


def size(column):
    return column["shape"][0] if isinstance(column, dict) else len(column)


def sizes_on_the_page(document, change):
    """Return how long columns are in the browser, after each of the messages."""
    page = {
        source.id: {name: len(column) for name, column in source.data.items()}
        for source in document.select({"type": ColumnDataSource})
    }
    for message in sent_by(document, change):
        columns = page.get(message["model"]["id"])
        if message["kind"] == "ColumnDataChanged":
            if message["cols"] is None:
                columns.clear()
            columns.update((k, size(v)) for k, v in message["data"]["entries"])
        elif message["kind"] == "ColumnsPatched":
            for name, patches in message["patches"]["entries"]:
                assert all(size(values) <= columns[name] for _, values in patches)
        yield page


def test_columns_of_the_map_have_one_length_at_every_moment():
    # With colours for one sample and places for nine the browser fails to paint:
    # "Offset is outside the bounds of the DataView".
    figure, document = put_on_a_page()
    show(figure, 0.5, 1)

    def change():
        show(figure, 0.6, 1)
        show(figure, 0.6, 9)

    seen = 0
    for page in sizes_on_the_page(document, change):
        assert all(len(set(columns.values())) == 1 for columns in page.values())
        seen = max(seen, page[figure.points.id]["color"])
    assert seen == 9


def test_names_and_colours_do_not_travel_when_samples_move():
    figure, document = put_on_a_page()
    show(figure, 0.5, 9)
    messages = sent_by(document, lambda: show(figure, 0.9, 9))
    assert any(m["model"]["id"] == figure.points.id for m in messages)
    assert not any("sample 3" in str(m) or "color" in str(m) for m in messages)


def test_samples_that_move_leave_their_portrait_alone():
    figure, _ = put_on_a_page()
    first, second = (map_samples(np.eye(3) + share) for share in (0.0, 0.5))
    before = first.map.coordinates.copy()
    nobody = np.empty(0, dtype=np.intp)
    for portrait in (first, second):
        figure.show(portrait, ["a", "b", "c"], None, nobody, fit=False)
        np.testing.assert_array_equal(
            np.column_stack([figure.points.data[axis] for axis in "xy"]),
            portrait.map.coordinates,
        )
    np.testing.assert_array_equal(first.map.coordinates, before)
