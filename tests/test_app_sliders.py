import pytest
from bokeh.document import Document

from swviz.app.ui.sliders import DecadeSlider


@pytest.fixture
def slider():
    return DecadeSlider((-3.0, 3.0), step=0.05, label="Bandwidth σ", value=0.0)


@pytest.mark.parametrize("number", [0.001, 0.2512, 1.0, 998.1])
def test_a_number_is_found_again(slider, number):
    slider.follow(number)
    assert slider.number == number
    assert (slider.start, slider.end) == (-3.0, 3.0)


def test_its_own_number_does_not_move_a_slider(slider):
    slider.value = -0.5489442742281561
    moves = []
    slider.param.watch(moves.append, ["value", "start", "end"])
    slider.follow(slider.number)
    assert moves == []
    slider.follow(2.0)
    assert len(moves) == 1


@pytest.mark.parametrize(("number", "start", "end"), [(1e-5, -5, 3), (2e5, -3, 5.301)])
def test_numbers_outside_widen_the_range_until_another_comes(
    slider, number, start, end
):
    slider.follow(number)
    assert [slider.start, slider.end] == pytest.approx([start, end], abs=1e-3)
    assert slider.number == number
    slider.follow(1.0)
    assert (slider.start, slider.end) == (-3.0, 3.0)


def test_steps_are_heard_and_the_end_of_a_drag_is_not(slider):
    shown = slider.get_root(Document()).data
    # As the browser does: each step, and once more where the drag ends.
    shown.value = 1.0
    shown.value_throttled = 1.0
    assert slider.value == 1.0
    assert slider.value_throttled == 0.0


def test_a_slider_can_be_cloned(slider):
    slider.follow(0.25)
    other = slider.clone()
    assert other.number == 0.25
    assert other.format is not slider.format
    other.follow(1e4)
    other.follow(1.0)
    assert (other.start, other.end) == (-3.0, 3.0)
