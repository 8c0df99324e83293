"""Presets: data for a menu, and all of them run."""

import inspect
import json

import pytest

from swviz.errors import ParameterError
from swviz.sources import PRESETS, SOURCES, from_preset

SMALLER = {
    "orbits": {"n_orbits": 1, "n_points": 30},
    "point_clouds": {"n_clouds": 1, "n_points": 40},
    "functions": {},
    "textures": {"per_class": 1},
    "shapes": {"every": 1000},
    "random_diagrams": {"n_diagrams": 2},
    "d1_counterexample": {},
}
NOT_CACHED = ("random_diagrams", "d1_counterexample")
EVERY_PRESET = [(source, name) for source in PRESETS for name in PRESETS[source]]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SWVIZ_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(("source", "name"), EVERY_PRESET)
def test_presets_run_and_can_be_changed(source, name):
    preset = PRESETS[source][name]
    assert preset.description and "\n" not in preset.description
    assert set(preset.parameters) <= set(inspect.signature(SOURCES[source]).parameters)
    changes = dict(SMALLER[source])
    if source not in NOT_CACHED:
        changes["cache"] = False
    diagrams = from_preset(source, name, **changes)
    assert len(diagrams) > 0
    assert diagrams.provenance["source"] == source


@pytest.mark.parametrize("source", SOURCES)
def test_provenance_is_plain_data_that_makes_the_set_again(source):
    name = next(iter(PRESETS[source]))
    changes = dict(SMALLER[source])
    if source not in NOT_CACHED:
        changes["cache"] = False
    diagrams = from_preset(source, name, **changes)
    parameters = json.loads(json.dumps(dict(diagrams.provenance)))
    again = SOURCES[parameters.pop("source")](**parameters)
    assert again.names == diagrams.names
    for dimension in diagrams.dimensions:
        for one, other in zip(
            diagrams.in_dimension(dimension), again.in_dimension(dimension), strict=True
        ):
            assert one.tolist() == other.tolist()


def test_presets_are_read_only():
    preset = PRESETS["orbits"]["paper"]
    with pytest.raises(TypeError):
        preset.parameters["n_orbits"] = 1


def test_unknown_presets_name_the_known_ones():
    with pytest.raises(ParameterError, match="'paper'"):
        from_preset("orbits", "no such preset")
    with pytest.raises(ParameterError, match="'textures'"):
        from_preset("no such source", "paper")
