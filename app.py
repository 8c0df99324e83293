"""The dashboard: ``panel serve app.py``. One session's page, built by swviz.app."""

from swviz.app.shell.page import create_page

create_page().servable()
