import asyncio
import re

import numpy as np
import pytest
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

from swviz import sliced_wasserstein
from swviz.app.shell.opening import (
    MOST_POINTS,
    Opening,
    draw_costs,
    draw_plane,
    opening,
    pictures_of,
)
from swviz.app.workspace.state import RULES, Workspace
from swviz.diagrams import DiagramSet


def test_the_picture_holds_every_point_in_its_place():
    A, B = np.array([[0.0, 1.0], [0.25, 0.5]]), np.array([[0.5, 0.75]])
    drawn = draw_plane(A, B, 0.0)
    centres = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert len(centres) == 2
    # Range (-0.08, 1.08) over 400 pixels, downwards.
    scale = 400 / 1.16
    expected = [((b + 0.08) * scale, 400 - (d + 0.08) * scale) for b, d in A]
    assert np.allclose(np.array(centres, dtype=float), expected, atol=0.06)
    assert drawn.count("m0-6l4 6-4 6-4-6z") == 1


def test_the_line_starts_at_the_angle():
    assert "rotate(-45.0 " in draw_plane(np.empty((0, 2)), np.empty((0, 2)), np.pi / 4)


def test_the_costs_are_those_of_the_library():
    A, B = np.array([[0.0, 1.0]]), np.empty((0, 2))
    points = re.search(r'points="([^"]+)"', draw_costs(A, B)).group(1).split()
    heights = [float(point.split(",")[1]) for point in points[1:-1]]
    # Zero at pi/4, three quarters along; highest where the line is across.
    assert heights[72] == 180
    assert min(heights) == pytest.approx(180 * (1 - 1 / 1.08), abs=0.1)


@pytest.mark.parametrize("rule", RULES)
def test_the_number_is_the_distance_on_show(rule):
    workspace = Workspace(n_directions=7, rule=rule)
    expected = sliced_wasserstein(*workspace.pair, 7, rule=rule, random_state=0)
    assert f"SW<sub>7</sub> = {expected:.4g}</p>" in pictures_of(workspace)


def test_many_points_and_none_are_drawn():
    many = np.column_stack([np.zeros(2000), np.linspace(1, 2, 2000)])
    drawn = draw_plane(many, np.empty((0, 2)), 0.3)
    assert drawn.count("<circle") == MOST_POINTS
    empty = Workspace.of_pair([], [])
    assert "SW<sub>12</sub> = 0</p>" in pictures_of(empty)


@pytest.mark.parametrize("scale", [1e-300, 1e17, 1e300])
def test_coinciding_points_far_away_or_tiny_are_drawn(scale):
    point = [[scale, scale]]
    assert "nan" not in pictures_of(Workspace.of_pair(point, point))


def test_names_of_others_are_no_markup():
    pair = DiagramSet({1: [[[0, 1]], [[0, 2]]]}, names=("<script>", "b"))
    workspace = Workspace(pair, index_a=0, index_b=1, title="<img src=x>")
    found = opening(workspace, {"a": '"><script>~*'})
    assert "<script>" not in "".join(found.values())
    assert "<img" not in found["opening_pictures"]
    # As the browser writes it.
    assert found["opening_query"] == "a=%22%3E%3Cscript%3E%7E*"


def test_pictures_of_a_link_are_there_before_its_page_unless_data_are_missing():
    async def ask(*queries):
        server = HTTPServer(Application([("/opening", Opening)]))
        [socket] = bind_sockets(0, "127.0.0.1")
        server.add_socket(socket)
        port = socket.getsockname()[1]
        try:
            return [
                await AsyncHTTPClient().fetch(
                    f"http://127.0.0.1:{port}/opening?{query}"
                )
                for query in queries
            ]
        finally:
            server.stop()

    there, nonsense, missing = asyncio.run(
        ask("M=7&a=1&theme=dark", "M=x&a=999&%00=1", "source=orbits&preset=paper")
    )
    expected = Workspace(n_directions=7, index_a=1)
    assert there.body.decode() == pictures_of(expected)
    assert nonsense.body.decode().count("<section>") == 2
    assert (missing.code, missing.body) == (204, b"")
