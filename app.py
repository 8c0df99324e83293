"""The dashboard: ``panel serve app.py``. One session's page, built by swviz.app."""

from swviz.app.page import create_page

create_page().servable()
