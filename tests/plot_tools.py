"""What the tests of plots share."""

import holoviews as hv
import matplotlib.pyplot as plt
import numpy as np
from bokeh.models import LogScale

SHOWN = ("bokeh", "matplotlib")
"""Libraries that every picture is drawn with."""


def draw(picture):
    """Draw a picture with both libraries; return the Bokeh figure and the axes."""
    figure = hv.render(picture, backend="bokeh")
    drawn = hv.render(picture, backend="matplotlib")
    # Text is laid out, and missing letters are missed, only then. HoloViews gives it a
    # canvas whose own `draw` does nothing.
    drawn.draw_without_rendering()
    plt.close(drawn)
    return figure, drawn.axes[0]


def check_axes(picture, both=False):
    """Draw a picture and check that its axes are named, finite, and not empty.

    And with `both`, that Matplotlib draws it, with the same axes. That takes longer
    than Bokeh does: tests ask for it where a function draws all of its layers, and
    where these are empty, not for each of its pictures.
    """
    if not both:
        figure = hv.render(picture, backend="bokeh")
        check_figure(figure)
        return figure
    figure, axes = draw(picture)
    check_figure(figure)
    assert axes.get_title() == ""
    for side, range_ in (("x", figure.x_range), ("y", figure.y_range)):
        limits = getattr(axes, f"get_{side}lim")()
        np.testing.assert_allclose(limits, (range_.start, range_.end))
    assert figure.xaxis[0].axis_label == axes.get_xlabel()
    assert figure.yaxis[0].axis_label == axes.get_ylabel()
    return figure


def check_figure(figure):
    """Check that the axes of a Bokeh figure are named, finite and not empty."""
    assert not (figure.title and figure.title.text)
    for scale, range_ in (
        (figure.x_scale, figure.x_range),
        (figure.y_scale, figure.y_range),
    ):
        low, high = range_.start, range_.end
        assert np.isfinite([low, high]).all()
        assert low < high
        assert not isinstance(scale, LogScale) or low > 0
    assert figure.xaxis[0].axis_label != ""


def columns(element, *names):
    """Return columns of an element."""
    return np.stack([element.dimension_values(name) for name in names], axis=1)


def layer(picture, kind, label=""):
    """Return the layer of a picture of this kind and with this label."""
    [found] = [one for one in picture if isinstance(one, kind) and one.label == label]
    return found


def look(element, library="bokeh"):
    """Return the style of an element."""
    return hv.Store.lookup_options(library, element, "style").kwargs


def sent(picture, name):
    """Return what a picture on a page has sent of the layers with a name."""
    found = [one for one in picture.figure.renderers if one.name == name]
    assert found, sorted({str(one.name) for one in picture.figure.renderers})
    return {
        column: np.asarray(values)
        for one in found
        for column, values in one.data_source.data.items()
    }
