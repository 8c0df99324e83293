"""One visual language: a kernel has one colour and one name wherever it is drawn."""

import re

import pytest
from bokeh.models import GlyphRenderer

from swviz.app.tabs.approximation.figures import SetFigures
from swviz.app.tabs.distortion import figures as distortion_figures
from swviz.app.tabs.distortion import pair_table
from swviz.app.tabs.distortion.figures import DistortionFigures
from swviz.app.tabs.distortion.spectrum import SpectrumPanel
from swviz.app.tabs.paper.view import PaperView
from swviz.plot.theme import ACCENT, KERNEL_COLORS, STYLES

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

LABELS = {
    "k_SW": "k_SW",
    "k_SW (10)": "k_SW",
    "k_PWG (1000), as printed": "k_PWG",
    "k_PWG, as printed": "k_PWG",
    "Gaussian on d1": "Gaussian",
    "Gaussian on d₁": "Gaussian",
    "Gauss(d₁)": "Gaussian",
}


def kernel_color(label):
    """Colour of the kernel that a legend calls "k_SW (10)" or "Gaussian on d₁"."""
    [kernel] = re.findall(r"^\w*", label)
    return KERNEL_COLORS["Gaussian" if kernel.startswith("Gauss") else kernel]


def test_every_kernel_has_a_colour_of_its_own():
    colors = [*KERNEL_COLORS.values(), ACCENT]
    colors += [style["fill_color"] for style in STYLES.values()]
    assert len({color.lower() for color in colors}) == len(colors)
    for label, kernel in LABELS.items():
        assert kernel_color(label) == KERNEL_COLORS[kernel], label


def looks_of(glyph, name):
    """Return what a property of a mark says: a copy has it wrapped as a value."""
    said = getattr(glyph, name, None)
    return getattr(said, "value", said)


def legend_colors(plot):
    """Colours of the layers that a figure's legend names, by name."""
    found = {}
    for item in plot.legend[0].items:
        for renderer in item.renderers:
            glyph = renderer.glyph
            for name in ("fill_color", "line_color"):
                color = looks_of(glyph, name)
                # The edge of a large mark says nothing.
                if isinstance(color, str) and color != "white":
                    found.setdefault(item.label.value, set()).add(color)
    return found


def kernels_of(plot):
    return {
        name: colors
        for name, colors in legend_colors(plot).items()
        if name.startswith(("k_", "Gauss"))
    }


def test_kernels_keep_their_colours_on_distortion():
    panel = SpectrumPanel(lambda event: None)
    pictures = panel.spectrum, panel.smallest
    plots = [DistortionFigures().scatter, *(one.figure for one in pictures)]
    for plot, count in zip(plots, (4, 2, 2), strict=True):
        kernels = kernels_of(plot)
        assert len(kernels) == count
        for name, colors in kernels.items():
            assert colors == {kernel_color(name)}, name


def test_kernels_keep_their_colours_on_paper():
    view = PaperView()
    for name, count in (("distortion", 4), ("differences", 5)):
        kernels = kernels_of(view.pictures[name].figure)
        assert len(kernels) >= count
        for label, colors in kernels.items():
            assert colors == {kernel_color(label)}, label
    boxes = view.pictures["boxes"].figure
    drawn = {
        looks_of(renderer.glyph, "line_color")
        for renderer in boxes.select(GlyphRenderer)
        if hasattr(renderer.glyph, "line_color")
    }
    assert KERNEL_COLORS["k_SW"] in drawn
    # Data sets are no kernels: no colour of one for them.
    for name in ("accuracy", "time"):
        colors = set().union(*legend_colors(view.pictures[name].figure)
                             .values())  # fmt: skip
        assert not {color.lower() for color in colors} & {
            color.lower() for color in KERNEL_COLORS.values()
        }


def test_labels_with_the_same_colour_have_markers_of_their_own():
    plot = PaperView().pictures["differences"].figure
    looks = [
        (looks_of(renderer.glyph, "fill_color"), looks_of(renderer.glyph, "marker"))
        for item in plot.legend[0].items
        for renderer in item.renderers
    ]
    assert len(looks) >= 5
    assert len(set(looks)) == len(looks)


def test_k_sw_keeps_its_colour_on_approximation():
    of_set = SetFigures()
    for picture, names in (
        (of_set.times, {"time"}),
        (of_set.accuracies, {"spread", "mean"}),
    ):
        layers = [
            layer
            for layer in picture.figure.select(GlyphRenderer)
            if layer.name in names
        ]
        assert {layer.name for layer in layers} == names
        colors = {looks_of(layer.glyph, "line_color") for layer in layers}
        assert colors == {KERNEL_COLORS["k_SW"]}


def test_a_distance_is_not_called_by_its_kernel():
    """k_SW alone names the kernel; its values and distances say what they are."""
    titles = pair_table.PairTable(lambda row: None).table.value.columns
    assert "distance in k_SW" in titles
    assert not {"k_SW", "k_PSS", "k_PWG", "Gauss(d₁)"} & set(titles)
    names = [name for name, _ in distortion_figures._TOOLTIPS]
    assert "distance in k_PSS" in names
    assert not [name for name in names if name.startswith(("k_", "Gauss"))]
