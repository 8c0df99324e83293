"""A posed figure with labelled parts, made of smoothly joined capsules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from swviz.sources.meshes import TriangleMesh

SPACING = 0.027
"""Side of the cubes in which the surface is found, in metres of a 1.8 m figure."""

SHARPNESS = 45.0
"""Joints are rounded over about 1 / SHARPNESS metres."""


class Limb(NamedTuple):
    """Directions of an arm or a leg: upper and lower half, each in degrees.

    Each half hangs down at (0, 0). The first angle raises it sideways, away from the
    body; the second swings it forward.
    """

    upper: tuple[float, float]
    lower: tuple[float, float]


@dataclass(frozen=True)
class Pose:
    """Directions of the four limbs."""

    left_arm: Limb
    right_arm: Limb
    left_leg: Limb
    right_leg: Limb


class Capsule(NamedTuple):
    """All points within `radius` of a segment."""

    part: str
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    radius: float


_HANGING = Limb((25, 0), (12, 12))
_RAISED = Limb((140, 0), (160, 0))
_SIDEWAYS = Limb((88, 0), (88, 0))
_STRAIGHT = Limb((7, 0), (4, -4))
_SPREAD = Limb((28, 0), (24, 0))

POSES: Mapping[str, Pose] = MappingProxyType(
    {
        "standing": Pose(_HANGING, _HANGING, _STRAIGHT, _STRAIGHT),
        "arms out": Pose(_SIDEWAYS, _SIDEWAYS, _STRAIGHT, _STRAIGHT),
        "walking": Pose(
            Limb((20, 30), (10, 55)),
            Limb((20, -35), (12, -15)),
            Limb((5, -25), (3, -45)),
            Limb((5, 28), (3, 10)),
        ),
        "hands up": Pose(_RAISED, _RAISED, _STRAIGHT, _STRAIGHT),
        "star": Pose(
            Limb((120, 0), (120, 0)), Limb((120, 0), (120, 0)), _SPREAD, _SPREAD
        ),
        "waving": Pose(_HANGING, Limb((95, 0), (165, 10)), _STRAIGHT, _STRAIGHT),
        "sitting": Pose(
            Limb((30, 30), (20, 75)),
            Limb((30, 30), (20, 75)),
            Limb((12, 88), (6, 0)),
            Limb((12, 88), (6, 0)),
        ),
        "running": Pose(
            Limb((20, 45), (12, 120)),
            Limb((20, -55), (12, 15)),
            Limb((5, 65), (3, -20)),
            Limb((5, -25), (3, -95)),
        ),
        "kicking": Pose(
            Limb((70, 20), (70, 30)), _SIDEWAYS, _STRAIGHT, Limb((8, 75), (6, 70))
        ),
        "lunging": Pose(
            Limb((60, 80), (30, 85)),
            Limb((40, -30), (25, -30)),
            Limb((10, 60), (6, 0)),
            Limb((10, -40), (6, -55)),
        ),
    }
)

PARTS = ("arm", "head", "leg", "torso")


@lru_cache(maxsize=len(POSES))
def posed_figure(pose: str) -> tuple[TriangleMesh, NDArray[np.str_]]:
    """Return the surface of the figure in a pose, and the part of each vertex.

    Parameters
    ----------
    pose : str
        A key of ``POSES``.

    Returns
    -------
    mesh : TriangleMesh
        A closed surface without holes; z is up, y is forward, in metres.
    parts : ndarray of str of shape (n_vertices,)
        "arm", "head", "leg" or "torso": the part of the nearest capsule.
    """
    # Imported here because scikit-image takes a while to load.
    from skimage.measure import marching_cubes

    capsules = _capsules(POSES[pose])
    joints = np.array([end for one in capsules for end in (one.start, one.end)])
    margin = max(one.radius for one in capsules) + 3 * SPACING
    low, high = joints.min(axis=0) - margin, joints.max(axis=0) + margin
    axes = [np.arange(a, b, SPACING) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    depths = -SHARPNESS * np.stack([_distance(grid, one) for one in capsules])
    vertices, faces, _, _ = marching_cubes(  # type: ignore[no-untyped-call]
        -np.logaddexp.reduce(depths, axis=0), level=0.0, spacing=(SPACING,) * 3
    )
    vertices = vertices + low
    nearest = np.argmin([_distance(vertices, one) for one in capsules], axis=0)
    parts = np.array([one.part for one in capsules])[nearest]
    parts.setflags(write=False)
    return TriangleMesh(vertices, faces), parts


def _capsules(pose: Pose) -> list[Capsule]:
    capsules = [
        Capsule("torso", _at(0, 0, 0.95), _at(0, 0, 1.30), 0.14),
        Capsule("torso", _at(-0.15, 0, 1.40), _at(0.15, 0, 1.40), 0.08),
        Capsule("head", _at(0, 0, 1.45), _at(0, 0, 1.60), 0.06),
        Capsule("head", _at(0, 0.01, 1.68), _at(0, 0.02, 1.74), 0.10),
    ]
    for side, arm, leg in (
        (-1, pose.left_arm, pose.left_leg),
        (1, pose.right_arm, pose.right_leg),
    ):
        shoulder, hip = _at(0.21 * side, 0, 1.41), _at(0.10 * side, 0, 0.90)
        capsules += _limb("arm", shoulder, arm, side, (0.28, 0.32), (0.055, 0.045))
        capsules += _limb("leg", hip, leg, side, (0.42, 0.44), (0.08, 0.06))
    return capsules


def _limb(
    part: str,
    root: NDArray[np.float64],
    limb: Limb,
    side: int,
    lengths: tuple[float, float],
    radii: tuple[float, float],
) -> list[Capsule]:
    capsules = []
    start = root
    for angles, length, radius in zip(limb, lengths, radii, strict=True):
        raised, swung = np.deg2rad(angles)
        direction = _at(
            side * np.sin(raised),
            np.cos(raised) * np.sin(swung),
            -np.cos(raised) * np.cos(swung),
        )
        end = start + length * direction
        capsules.append(Capsule(part, start, end, radius))
        start = end
    return capsules


def _distance(points: NDArray[np.float64], capsule: Capsule) -> NDArray[np.float64]:
    """Signed distance from points of shape (..., 3) to a capsule."""
    axis = capsule.end - capsule.start
    along = np.clip((points - capsule.start) @ axis / (axis @ axis), 0, 1)
    nearest = capsule.start + along[..., None] * axis
    distance: NDArray[np.float64] = np.linalg.norm(points - nearest, axis=-1)
    return distance - capsule.radius


def _at(x: float, y: float, z: float) -> NDArray[np.float64]:
    return np.array([x, y, z], dtype=np.float64)
