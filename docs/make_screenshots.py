"""Take the pictures of the app in docs/images: ``make screenshots``, with the gallery.

Serves the dashboard on a free port of this machine, opens it in Chromium and writes,
light and dark,

- ``slices-*.webp``: the Slices view with the line turning once, for the README;
- ``dashboard-*.png``: the whole page.

The line is put to every angle in turn, so that each run takes the same frames. Two to
three minutes.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.app_speed import chromium
from swviz.plot.theme import MODES

IMAGES = Path(__file__).parent / "images"
LARGEST = 1_500_000
"""Bytes of a moving picture."""

STEP = 3
"""Degrees from frame to frame."""

FRAME_MS = 80
SIZE = {"width": 1280, "height": 800}
WIDTH = 960
"""Of the moving picture."""

_TURN = """async (degrees) => {
  const roots = Bokeh.documents.flatMap((document) => document.roots())
  for (const model of roots.flatMap((root) => [...root.references()])) {
    if (model.title === "θ in degrees") model.value = degrees
  }
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  for (let k = 0; k < 4; k++) await frame()
}"""


@contextmanager
def served() -> Iterator[str]:
    """Serve the dashboard, and tell its address."""
    command = [sys.executable, "-m", "swviz", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if line.startswith("swviz is at "):
                    yield line.split()[3]
                    break
        finally:
            process.terminate()


def opened(browser: Any, address: str, mode: str) -> Any:
    """Open Slices, and wait until all of it is drawn."""
    page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    page.set_default_timeout(120_000)
    page.goto(f"{address}?tab=Slices&theme={mode}")
    page.locator("canvas").first.wait_for()
    page.locator("#opening").wait_for(state="detached")
    page.locator("#loader").wait_for(state="hidden")
    page.get_by_text("this slice").first.wait_for()
    # Fonts, and the answer of the server: the exact distance.
    page.wait_for_timeout(4000)
    return page


def whole_page(page: Any) -> Image.Image:
    """Return the page as it is, with the line at an angle that shows much."""
    page.evaluate(_TURN, 53)
    return _picture(page.screenshot())


def turning(page: Any) -> list[Image.Image]:
    """Return a picture of the view for every angle."""
    cards = page.locator(".card").filter(visible=True)
    boxes = [cards.nth(k).bounding_box() for k in range(cards.count())]
    left, top = (min(box[key] for box in boxes) - 8 for key in "xy")
    right = max(box["x"] + box["width"] for box in boxes) + 8
    bottom = max(box["y"] + box["height"] for box in boxes) + 8
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    height = round(WIDTH * clip["height"] / clip["width"])
    frames = []
    for degrees in range(-90, 90, STEP):
        page.evaluate(_TURN, degrees)
        frame = _picture(page.screenshot(clip=clip))
        frames.append(frame.resize((WIDTH, height), Image.Resampling.LANCZOS))
    return frames


def _picture(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def save_moving(frames: list[Image.Image], path: Path) -> None:
    """Write an animated WebP, as good as fits."""
    for quality in (80, 70, 60, 50, 40):
        buffer = io.BytesIO()
        frames[0].save(
            buffer, "webp", save_all=True, append_images=frames[1:], loop=0,
            duration=FRAME_MS, quality=quality, method=4,
        )  # fmt: skip
        if buffer.tell() <= LARGEST:
            path.write_bytes(buffer.getvalue())
            print(f"{path.name}: {len(frames)} frames, {buffer.tell() / 1e6:.2f} MB")
            return
    raise SystemExit(f"{path.name} is larger than {LARGEST} bytes")


def main() -> None:
    """Take all pictures."""
    with served() as address, chromium() as browser:
        for mode in MODES:
            page = opened(browser, address, mode)
            still = whole_page(page)
            still.save(IMAGES / f"dashboard-{mode}.png", optimize=True)
            save_moving(turning(page), IMAGES / f"slices-{mode}.webp")
            page.close()


if __name__ == "__main__":
    main()
