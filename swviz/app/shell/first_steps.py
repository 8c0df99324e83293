"""Where to begin: examples with a point to make, one click away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.ui.theme import card, flow, plain_text

PAPER = "https://arxiv.org/abs/1706.03358"


@dataclass(frozen=True)
class Example:
    """A state of the page, and what it shows.

    Parameters
    ----------
    title, point : str
        A few words, and a sentence.
    link : str
        Query of the page's address.
    """

    title: str
    point: str
    link: str

    @property
    def query(self) -> dict[str, str]:
        """What the link says, value by value."""
        return dict(parse_qsl(self.link.removeprefix("?"), keep_blank_values=True))


_PAIR = "source=point_clouds&preset=small&dim=1&a=0&b=12"

EXAMPLES = (
    Example(
        "Two loops or one?",
        "A is a circle, B a figure eight: one point far from the diagonal, or two. "
        "Press “Let A flow to B”, and watch one loop become two.",
        f"?tab=Slices&{_PAIR}",
    ),
    Example(
        "M = 8 worse than 6",
        "Six directions miss SW of this pair by 3.2 %, eight by 3.4 %. 4 divides 8, "
        "and then one direction is spent on 45°, where nothing costs.",
        f"?tab=Approximation&{_PAIR}&M=8&rule=paper",
    ),
    Example(
        "Noise eats the loop",
        "Circles with noise and outliers. Move the level t: is there still one bar "
        "that lasts?",
        "?tab=Diagrams&source=point_clouds&preset=noisy+circle&dim=1&a=0&b=1",
    ),
    Example(
        "Where d₁ fails",
        "Six small diagrams are enough: the Gaussian of d₁ has an eigenvalue below "
        "zero, so it is no kernel. The eigenvalues are at the end of the page; those "
        "of k_SW are all positive.",
        "?tab=Distortion&source=d1_counterexample&preset=six+diagrams",
    ),
    Example(
        "Your own points",
        "Tap the plane to draw a diagram, press “Use as A”, draw another for B, and "
        "compare them in Slices. Or upload files of your own.",
        "?tab=Diagrams&diagrams.way=Draw+your+own",
    ),
)


class FirstSteps(pn.viewable.Viewer):
    """A row of examples, until it is closed.

    Parameters
    ----------
    go : callable
        Takes an :class:`Example`, and has the page show it.
    present : callable
        Begins the lecture.
    """

    is_open = param.Boolean(default=True)
    point = param.String(default="", doc="What the example on show is about.")

    def __init__(
        self,
        go: Callable[[Example], None],
        present: Callable[[], None],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._go = go
        # One row of them fits beside the sidebar of a small laptop.
        narrow = {"letterSpacing": 0, "padding": "4px 8px"}
        look: dict[str, Any] = {"size": "small", "margin": (2, 2), "sx": narrow}
        lecture = pmui.Button(label="Start the lecture", icon="slideshow", **look)
        lecture.on_click(lambda _event: present())
        buttons = [
            pmui.Button(label=example.title, variant="outlined", **look)
            for example in EXAMPLES
        ]
        for button, example in zip(buttons, EXAMPLES, strict=True):
            button.on_click(lambda _event, example=example: self.show(example))
        close = pmui.IconButton(
            label="Close the examples", icon="close", size="small", margin=0
        )
        close.on_click(lambda _event: self.close())
        paper = pn.pane.HTML(
            f'<a href="{PAPER}" target="_blank" rel="noopener" '
            'style="color:inherit;white-space:nowrap">The paper</a>',
            margin=(4, 6),
        )
        self._layout = card(
            flow(
                plain_text("New here?", (2, 6), sizing_mode=None, font_weight="700"),
                *(lecture, *buttons, paper, close),
                gap=2,
            ),
            plain_text(self.param.point, margin=(0, 12), font_size="0.9rem"),
            visible=self.param.is_open,
            # The stage measures how high it is.
            css_classes=["card", "first-steps"],
        )
        self._layout.styles = self._layout.styles | {"padding": "3px 6px"}

    def __panel__(self) -> pn.Column:
        return self._layout

    def show(self, example: Example) -> None:
        """Go to an example, and say what it is about."""
        self.point = example.point
        self._go(example)

    def close(self) -> None:
        """Be gone: somebody knows what to do."""
        self.is_open = False
