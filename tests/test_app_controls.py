"""Small controls: what their browser says, and what they show."""

import json

import param
import pytest

from swviz.app.ui.controls import Controls, buttons, choice, heading, note, switch


class Owner(param.Parameterized):
    is_on = param.Boolean(default=True, label="On")
    side = param.Selector(default="A", objects=["A", "B"], label="Which")


@pytest.fixture
def owner():
    return Owner()


@pytest.fixture
def pressed():
    return []


@pytest.fixture
def controls(owner, pressed):
    rows = [
        heading("Show"),
        switch(owner.param.is_on),
        choice(owner.param.side),
        buttons({"name": "undo", "text": "Undo", "icon": "undo"}),
        note("Small print."),
    ]
    return Controls(owner, rows, press={"undo": lambda: pressed.append("undo")})


def say(controls, *said):
    controls.said = json.dumps([len(controls.said), *said])


def test_they_show_what_their_owner_has(owner, controls):
    assert controls.values == {"is_on": True, "side": "A"}
    owner.param.update(is_on=False, side="B")
    assert controls.values == {"is_on": False, "side": "B"}


def test_a_hand_on_them_reaches_the_owner(owner, controls, pressed):
    say(controls, "is_on", False)
    say(controls, "side", "B")
    assert (owner.is_on, owner.side) == (False, "B")
    say(controls, "undo", None)
    assert pressed == ["undo"]


def test_a_button_that_cannot_be_pressed_does_nothing(controls, pressed):
    controls.disabled = ["undo"]
    say(controls, "undo", None)
    assert pressed == []


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[",
        "3",
        "[1]",
        '[1, "nobody", 1]',
        '[1, "is_on", "x"]',
        '[1, "side", "C"]',
        '[1, ["is_on"], true]',
        '[1, "name", "x"]',
        '[1, "is_on", "' + "x" * 10_000,
    ],
)
def test_nonsense_changes_nothing_and_is_answered(owner, controls, pressed, said):
    answered = []
    controls.param.watch(lambda event: answered.append(event.new), "values")
    before = owner.name
    controls.said = said or "{}"
    assert (owner.is_on, owner.side, owner.name, pressed) == (True, "A", before, [])
    assert answered == [{"is_on": True, "side": "A"}]
