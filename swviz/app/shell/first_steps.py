"""Where to begin: examples with a point to make, one click away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import param
from panel.custom import JSComponent

from swviz.plot.theme import ACCENT

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
    show : str, default=""
        The beginning of the title of the card that it is about.
    """

    title: str
    point: str
    link: str
    show: str = ""

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
        f"?tab=Slices&{_PAIR}&M=12",
    ),
    Example(
        "M = 8 worse than 6",
        "Six directions miss SW of this pair by 3.2 %, eight by 3.4 %. 4 divides 8, "
        "and then one direction is spent on 45°, where nothing costs.",
        f"?tab=Approximation&{_PAIR}&M=8&rule=paper",
        "Why M = 8 can be worse than M = 6",
    ),
    Example(
        "Noise eats the loop",
        "Circles with noise and outliers: the one point of each that stands off from "
        "the diagonal is its loop. Open “Parameters”, raise Outliers, press Generate: "
        "it sinks into the noise.",
        "?tab=Diagrams&source=point_clouds&preset=noisy+circle&dim=1&a=0&b=1&M=12"
        "&diagrams.way=Generate",
    ),
    Example(
        "Where d₁ fails",
        "Six small diagrams are enough: the Gaussian of d₁ has an eigenvalue below "
        "zero (the cross), so it is no kernel. Those of k_SW are all positive.",
        "?tab=Distortion&source=d1_counterexample&preset=six+diagrams&M=12",
        "Eigenvalues of the Gram matrices",
    ),
    Example(
        "Your own points",
        "Tap the plane to draw a diagram, press “Use as A”, draw another for B, and "
        "compare them in Slices. Or upload files of your own.",
        "?tab=Diagrams&diagrams.way=Draw+your+own",
    ),
)


_STYLE = """
.first { display: flex; flex-wrap: wrap; align-items: center; gap: 3px 4px;
  margin: 6px; padding: 5px 12px; border-radius: 12px; box-sizing: border-box;
  font: 0.875rem/1.4 Roboto, system-ui, sans-serif;
  background: var(--panel-surface-color, #FFFFFF);
  color: var(--panel-on-surface-color, #1D2730);
  border: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.first[hidden] { display: none; }
strong { margin-right: 2px; }
button { font: inherit; font-weight: 500; cursor: pointer; border-radius: 10px;
  padding: 0.38em 0.54em; background: none; color: PRIMARY; border: 1px solid
  color-mix(in srgb, PRIMARY 50%, transparent); }
button:hover { background: color-mix(in srgb, PRIMARY 9%, transparent); }
button[aria-pressed=true] { background: color-mix(in srgb, PRIMARY 9%, transparent);
  border-color: PRIMARY; }
button.lecture { background: PRIMARY; color: var(--panel-on-primary-color, #FFFFFF); }
button.lecture:hover { filter: brightness(1.12); }
button.close { margin-left: auto; border-color: transparent; color: inherit; }
button:focus-visible, a:focus-visible { outline: 3px solid ACCENT;
  outline-offset: 1px; }
a { color: inherit; white-space: nowrap; margin-left: 2px; }
p { flex: 1 0 100%; margin: 0 0 2px; font-size: 0.9rem; }
p:empty { display: none; }
""".replace("PRIMARY", "var(--panel-primary-color, #005F99)").replace("ACCENT", ACCENT)


class FirstSteps(JSComponent):
    """A row of examples, until it is closed.

    One component that draws its own buttons: seven of Material's would take an eighth
    of the time that a page needs to open.

    Parameters
    ----------
    go : callable
        Takes an :class:`Example`, and has the page show it.
    present : callable
        Begins the lecture.
    """

    is_open = param.Boolean(default=True)
    point = param.String(default="", doc="What the example on show is about.")
    titles = param.List(default=[example.title for example in EXAMPLES])
    paper = param.String(default=PAPER, doc="Its address.")
    wish = param.String(
        default="",
        doc="Written by the browser: a number of its own, and what was pressed, the "
        'number of an example or "lecture".',
    )

    _esm = Path(__file__).with_name("first_steps.js")
    _stylesheets: ClassVar[list[str]] = [_STYLE]

    def __init__(
        self,
        go: Callable[[Example], None],
        present: Callable[[], None],
        **params: Any,
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._go, self._present = go, present
        self.param.watch(self._pressed, "wish")

    def _pressed(self, event: Any) -> None:
        _, _, what = event.new.partition(" ")
        if what == "lecture":
            self._present()
        elif what.isdecimal() and int(what[:3]) < len(EXAMPLES):
            self.show(EXAMPLES[int(what[:3])])

    def show(self, example: Example) -> None:
        """Go to an example, and say what it is about."""
        self.point = example.point
        self._go(example)

    def close(self) -> None:
        """Be gone: somebody knows what to do."""
        self.is_open = False
