"""The Slices view's figures: arrays in, pictures out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swviz.app.plots import plane_range
from swviz.app.views.slice_models import SliceModels
from swviz.diagrams import Diagram
from swviz.slices import SliceMatching, StepFunction

Floats = NDArray[np.float64]


class SliceFigures(SliceModels):
    """All models of one Slices view; methods put arrays into them."""

    def fit(self, A: Diagram, B: Diagram) -> None:
        """Choose ranges that hold the pair for every angle."""
        low, high = plane_range(A, B)
        for side in (self.plane.x_range, self.plane.y_range):
            side.update(start=low, end=high, reset_start=low, reset_end=high)
        # The line turns about the middle of the plane, where it is always in sight:
        # moving it sideways changes no distance.
        anchor = (low + high) / 2
        points = np.concatenate([A, B, [[low, high]]])
        radius = float(np.hypot(*(points - anchor).T).max())
        self.line_range.update(start=-radius, end=radius)
        data = dict(self.frame.data)
        self.frame.data = {**data, "anchor": [anchor], "radius": [radius]}

    def set_sigma(self, sigma: float) -> None:
        """Set the bandwidth of the kernel."""
        self.frame.data = {**dict(self.frame.data), "sigma": [sigma]}
        self._write("kernel", np.exp(-self.truth.data["exact"][0] / (2 * sigma**2)))

    def set_points(self, A: Diagram, B: Diagram) -> None:
        """Show another pair."""
        for source, projections, diagram in (
            (self.a, self.diagonal_a, A), (self.b, self.diagonal_b, B)
        ):  # fmt: skip
            middle = diagram.mean(axis=1)
            projections.data = {"x": middle, "y": middle}
            source.data = {"birth": diagram[:, 0].copy(), "death": diagram[:, 1].copy()}

    def set_curve(self, costs: Floats) -> None:
        """Show W over the half circle."""
        thetas = self.curve_angles
        self.curve.data = {"theta": thetas, "w": costs}
        self.cost_range.end = 1.08 * float(costs.max(initial=0)) or 1.0
        for side in self.polar_ranges:
            side.update(start=-self.cost_range.end, end=self.cost_range.end)
        x, y = costs * np.cos(thetas), costs * np.sin(thetas)
        self.polar.data = {"x": np.concatenate([x, -x]), "y": np.concatenate([y, -y])}

    def set_slice(self, matching: SliceMatching, steps: StepFunction) -> None:
        """Show one slice."""
        theta = matching.theta
        u = np.array([np.cos(theta), np.sin(theta)])
        anchor, radius = self.frame.data["anchor"][0], self.frame.data["radius"][0]
        self.line.data = self._polyline(anchor - radius * u, anchor + radius * u)
        for rays, points in zip(self.rays, (self.a, self.b), strict=True):
            starts = np.stack([points.data["birth"], points.data["death"]], axis=1)
            rays.data = self._polyline(
                starts, anchor + np.outer((starts - anchor) @ u, u)
            )
        shift = anchor * u.sum()
        for side, level in (("source", 1), ("target", 0)):
            positions = getattr(matching, side) - shift
            projected = getattr(matching, f"{side}_on_diagonal")
            own, other = ("A", "B") if side == "source" else ("B", "A")
            for source, chosen in (
                (self.own[own], ~projected), (self.middle[other], projected)
            ):  # fmt: skip
                t = positions[chosen]
                source.data = {"t": t, "y": np.full(len(t), level)}
        ends = [matching.source - shift, matching.target - shift]
        gap = np.full(len(matching.source), np.nan)
        self.links.data = {
            "x": np.stack([*ends, gap], axis=1).ravel(),
            "y": np.tile([1, 0, np.nan], len(gap)),
        }
        before = np.concatenate([[0.0], steps.values[:-1]]) if len(steps.values) else []
        self.steps.data = {
            "t": np.repeat(steps.knots, 2) - shift,
            "g": np.stack([before, steps.values], axis=1).ravel(),
        }
        highest = float(np.abs(steps.values).max(initial=1))
        self.step_range.update(start=-highest - 0.5, end=highest + 0.5)
        self.cursor.data = {"theta": [theta], "w": [matching.cost], "low": [0]}
        self.polar_cursor.data = {
            "x": [0, matching.cost * u[0]], "y": [0, matching.cost * u[1]]
        }  # fmt: skip
        self._write("slice", matching.cost)

    def set_directions(self, thetas: Floats, costs: Floats, rule: str) -> None:
        """Show the sampled directions as bars of a Riemann sum."""
        step = np.pi / len(thetas)
        # The paper's sum has each angle at the left of its cell.
        left = thetas if rule == "paper" else thetas - step / 2
        self.bars.data = {
            "left": left, "right": left + step, "theta": thetas, "top": costs
        }  # fmt: skip
        self.sampled.data = {"theta": thetas}
        self._approximate = float(costs.mean())
        self._write("approximate", self._approximate)
        self._write_ratio()

    def set_truth(self, exact: float, d1: float) -> None:
        """Show the exact distance and d1."""
        # A new version tells the browser that the same numbers are exact again.
        version = self.truth.data["version"][0] + 1
        self.truth.data = {"exact": [exact], "d1": [d1], "version": [version]}
        self._write("exact", exact)
        self._write("d1", d1)
        self._write("kernel", np.exp(-exact / (2 * self.frame.data["sigma"][0] ** 2)))
        self._write_ratio()

    def set_matching(self, A: Diagram, B: Diagram, matching: NDArray[np.intp]) -> None:
        """Draw an optimal partial matching."""
        first, second = np.full((2, len(matching), 2), np.nan)
        for ends, diagram, index in (
            (first, A, matching[:, 0]),
            (second, B, matching[:, 1]),
        ):
            ends[index >= 0] = diagram[index[index >= 0]]
        start = np.where(np.isnan(first), second.mean(axis=1, keepdims=True), first)
        end = np.where(np.isnan(second), first.mean(axis=1, keepdims=True), second)
        self.matching.data = {
            "x0": start[:, 0], "y0": start[:, 1], "x1": end[:, 0], "y1": end[:, 1]
        }  # fmt: skip

    def set_segments(self, segments: Floats, weights: Floats) -> None:
        """Draw balanced segments: those that add to SW and those that subtract."""
        self.segments.data = {
            "x0": segments[:, 0, 0], "y0": segments[:, 0, 1],
            "x1": segments[:, 1, 0], "y1": segments[:, 1, 1],
            "color": np.where(weights > 0, "#009E73", "#B2182B"), "weight": weights,
        }  # fmt: skip

    def set_visible(
        self, rays: bool, projections: bool, matching: bool, segments: bool, polar: bool
    ) -> None:
        """Switch layers on and off."""
        for glyphs in self.ray_glyphs:
            glyphs.visible = rays
        for glyphs in self.projection_glyphs:
            glyphs.visible = projections
        self.matching_glyphs.visible = matching
        self.segment_glyphs.visible = segments
        self.polar_figure.visible = polar

    def draw_into(self, name: str) -> None:
        """Let new points go to diagram "A" or "B"."""
        first = 0 if name == "A" else 1
        self.draw_tool.renderers = [self._points[first], self._points[1 - first]]

    def _polyline(self, starts: Floats, ends: Floats) -> dict[str, Floats]:
        """Segments, cut at the plane's frame, as one line with gaps."""
        starts, ends = np.atleast_2d(starts), np.atleast_2d(ends)
        sides = self.plane.x_range, self.plane.y_range
        low, high = (np.array([getattr(s, end) for s in sides])
                     for end in ("start", "end"))  # fmt: skip
        run = ends - starts
        # Liang and Barsky: where along a segment it enters and leaves each strip.
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = np.stack([(low - starts) / run, (high - starts) / run])
        first = np.fmax.reduce(np.fmin(*crossings), axis=1, initial=0)
        last = np.fmin.reduce(np.fmax(*crossings), axis=1, initial=1)
        inside = first <= last
        cut = [(starts + along[:, None] * run)[inside] for along in (first, last)]
        lines = np.stack([*cut, np.full_like(cut[0], np.nan)], axis=1).reshape(-1, 2)
        return {"x": lines[:, 0], "y": lines[:, 1]}

    def _write(self, name: str, value: float) -> None:
        self.stats[name].text = self._text(name, f"{value:.4g}")

    def _write_ratio(self) -> None:
        exact = self.truth.data["exact"][0]
        text = f"{self._approximate / exact:.4f}" if exact > 0 else "undefined"
        self.stats["ratio"].text = self._text("ratio", text)

    def _text(self, name: str, value: str) -> str:
        return self.stats[name].tags[0].replace("{value}", value)

    _approximate = 0.0
