"""Sliders whose values are not the numbers that they stand for."""

import pytest

from swviz.app.shell.page import SessionPage
from swviz.app.ui.sliders import CountSlider
from swviz.app.workspace.state import Workspace


@pytest.fixture
def slider():
    return CountSlider(200)


def test_every_number_has_its_place(slider):
    for number in range(1, 201):
        slider.follow(number)
        assert slider.number == number
        assert slider.start <= slider.value <= slider.end


def test_small_numbers_have_most_of_the_way(slider):
    steps = []
    for place in range(int(slider.end) + 1):
        slider.value = place
        steps.append(slider.number)
    assert steps[:20] == list(range(1, 21))
    assert steps[20:30] == list(range(22, 41, 2))
    assert steps[30:42] == list(range(45, 101, 5))
    assert steps[42:] == list(range(110, 201, 10))


def test_the_slider_and_the_field_are_of_one_number():
    page = SessionPage(Workspace())
    space, sidebar = page.workspace, page.sidebar
    assert sidebar.directions.number == sidebar.typed.value == 12
    sidebar.directions.value = 20
    assert (space.n_directions, sidebar.typed.value) == (22, 22)
    sidebar.typed.value = 33
    assert (space.n_directions, sidebar.directions.number) == (33, 33)
    space.n_directions = 200
    assert (sidebar.directions.value, sidebar.typed.value) == (
        sidebar.directions.end,
        200,
    )
