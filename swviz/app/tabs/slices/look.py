"""How high figures of Slices are, and how its own buttons and numbers look.

A page says by :func:`sizes` how much of the window figures have: they fill it. Where no
page says so, as in a cell of a notebook, figures have heights of their own. Sizes are
in rem, so that larger type takes its room.
"""

from __future__ import annotations

from swviz.plot.theme import ACCENT

CARD = {
    "background": "var(--panel-surface-color, #FFFFFF)",
    "border": "1px solid color-mix(in srgb, currentColor 15%, transparent)",
    "border-radius": "10px",
    "box-sizing": "border-box",
    "margin": "6px",
    "padding": "10px 14px",
    "min-width": "0",
    # Figures are wider than their column for a moment, when that gets narrower.
    "width": "calc(100% - 12px)",
}
"""A rounded panel, white or dark as the page is: as `swviz.app.ui.theme.card`."""

_FONT = "Roboto, Helvetica, Arial, sans-serif"
WORDS = {
    kind: {f"{kind}_font": _FONT, f"{kind}_font_style": "normal"}
    for kind in ("text", "axis_label_text", "major_label_text")
}
"""The type of titles, names of axes and numbers at ticks."""

STRIPS = {"flat": (0.26, 140), "surplus": (0.34, 165), "costs": (0.40, 190)}
"""Share of the height that each strip has, and its height where no page says more."""

PRESENTER = {"display": "var(--presenter, none)"}
"""Of controls that only a presenter has use for."""


def sizes(above: str, presenter: str = "none") -> str:
    """Return CSS that lets figures fill the window.

    Parameters
    ----------
    above : str
        A CSS length: what stands above the figures, and below them.
    presenter : str, default="none"
        How controls of a presenter are displayed.
    """
    # Of its lower edge a tour takes what it needs.
    room = f"calc(100vh - var(--tour-height, 0px) - {above})"
    strips = "".join(
        f"--{name}-height: max({0.7 * least:.0f}px, "
        f"calc(({room} - 3.4rem - 34px) * {share})); "
        for name, (share, least) in STRIPS.items()
    )
    return (
        f":root {{ --presenter: {presenter}; }} "
        "@media (min-width: 900px) { :root { "
        f"--plane-side: max(280px, calc({room} - 3.4rem - 34px)); "
        f"--plane-share: min(47%, calc(var(--plane-side) + 42px)); {strips} }} }}"
    )


def height_of(strip: str) -> str:
    """Return the style sheet of a strip."""
    # Bokeh has its own height in a style sheet that comes later.
    height = f"var(--{strip}-height, {STRIPS[strip][1]}px)"
    return f":host {{ height: {height} !important; flex-basis: {height} !important; }}"


PLANE = ":host { max-width: var(--plane-side, none); }"

SIDES = """
@media (max-width: 899px) {
  .md-5, .md-7 { flex: 0 0 100%; width: 100%; }
}
@media (min-width: 900px) {
  .md-5 { flex: 0 0 var(--plane-share, 41.6667%);
    width: var(--plane-share, 41.6667%); max-width: none; }
  .md-7 { flex: 1 1 0; width: auto; max-width: none; }
}
"""
"""The plane as large as the window lets it be, and the strips beside it the rest."""

NUMBERS = """
:host { display: grid !important; gap: 2px 10px;
  grid-template-columns: repeat(6, 1fr); }
@media (max-width: 899px) { :host { grid-template-columns: repeat(3, 1fr); } }
"""

NUMBER = """
.label { font: 0.8rem/1.5 system-ui, sans-serif; height: 1.2rem; opacity: 0.75; }
.value { font: 700 1.45rem/1.2 system-ui, sans-serif; white-space: nowrap; }
.now { color: ACCENT; }
.note { font: 0.7rem/1.3 system-ui, sans-serif; opacity: 0.75; }
@media (max-width: 899px) {
  .value { font-size: 1.1rem; }
  .note { display: none; }
}
@media (min-width: 900px) and (max-width: 1150px) { .value { font-size: 1.2rem; } }
""".replace("ACCENT", ACCENT)

# Bokeh's own widgets in the colours of the page around them, light or dark.
_PRIMARY = "var(--panel-primary-color, #005F99)"
_ON_PRIMARY = "var(--panel-on-primary-color, #FFFFFF)"
FITS = ":host { flex: 0 0 auto !important; width: fit-content !important; }"
BUTTON = f"""
{FITS}
.bk-btn {{ font: 500 0.84rem/1.4 Roboto, system-ui, sans-serif; border-radius: 8px;
  padding: 0.4em 0.6em; white-space: nowrap; }}
.bk-btn-primary, .bk-btn-primary:hover, .bk-btn-primary.bk-active {{
  background: {_PRIMARY}; border-color: {_PRIMARY}; color: {_ON_PRIMARY}; }}
.bk-btn-default, .bk-btn-default:hover {{ background: transparent; color: inherit;
  border-color: color-mix(in srgb, currentColor 35%, transparent); }}
.bk-btn:hover {{ filter: brightness(1.12); }}
.bk-btn:focus-visible {{ outline: 3px solid {ACCENT}; outline-offset: 1px; }}
.bk-btn[disabled] {{ opacity: 0.5; }}
"""
SLIDER = f"""
:host {{ flex: 1 1 7rem !important; min-width: 7rem; width: auto !important; }}
.bk-slider-title {{ font-size: 0.95rem; line-height: 1.35; }}
.noUi-target {{ height: 5px; margin: 9px 8px 8px; border: 0; border-radius: 3px;
  box-shadow: none; background: color-mix(in srgb, currentColor 28%, transparent); }}
.noUi-connects {{ border-radius: 3px; }}
.noUi-connect {{ background: {_PRIMARY} !important; }}
.noUi-horizontal .noUi-handle {{ width: 20px; height: 20px; top: -7.5px; right: -10px;
  border: 0; border-radius: 50%; box-shadow: none; background: {_PRIMARY}; }}
.noUi-handle:focus-visible {{ outline: 3px solid {ACCENT}; outline-offset: 1px; }}
.noUi-handle::before, .noUi-handle::after {{ display: none; }}
"""
SELECT = (
    f"{FITS}"
    + """
.bk-input { font: 0.84rem/1.4 Roboto, system-ui, sans-serif; height: auto;
  padding: 0.35em 1.5em 0.35em 0.5em; border-radius: 8px; color: inherit;
  background-color: transparent;
  border-color: color-mix(in srgb, currentColor 35%, transparent); }
option { color: #1D2730; background: #FFFFFF; }
"""
)
