"""What all tests share."""

import gc
import os
import sys

import pytest

# A server makes all tabs once for nobody: of use to users, not to the dozen of servers
# that tests start for a moment.
os.environ.setdefault("SWVIZ_REHEARSED_TABS", "0")

# jsonschema, which checks notebooks, makes forty parsers of addresses with it when
# imported, in each process that collects tests: seconds, and no notebook has one.
sys.modules.setdefault("rfc3987_syntax", None)

# Figures are many small objects that refer to one another: looking through them for
# garbage again and again takes a tenth of the time.
gc.set_threshold(100_000, 20, 20)


@pytest.fixture(autouse=True)
def document_of_its_own():
    """Give each test that draws a current document that goes with it.

    HoloViews has Bokeh's current document remember every picture it has drawn, and
    takes longer for each one the more there are.
    """
    if "bokeh.io" not in sys.modules:
        yield
        return
    from bokeh.document import Document
    from bokeh.io.doc import patch_curdoc

    # Bokeh holds it weakly.
    document = Document()
    with patch_curdoc(document):
        yield
