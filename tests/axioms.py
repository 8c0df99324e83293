"""What every distance between diagrams must satisfy, written once.

Subclasses give `distance(A, B)`; tolerances are relative to the sum of all coordinates'
sizes, `eps` roundings' worth.
"""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import diagrams

inherited = settings(
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    deadline=None,
    max_examples=60,
)


class DistanceAxioms:
    eps = 64 * np.finfo(float).eps
    reflection = True

    def distance(self, A, B):
        raise AssertionError("subclasses define the distance")

    def close(self, actual, expected, *diagrams):
        size = sum(np.abs(diagram).sum() for diagram in diagrams)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=self.eps * size)

    @inherited
    @given(diagrams(), diagrams())
    def test_symmetric_and_not_negative(self, A, B):
        assert self.distance(A, B) >= 0
        self.close(self.distance(A, B), self.distance(B, A), A, B)

    @inherited
    @given(diagrams())
    def test_zero_on_equal_diagrams(self, A):
        assert self.distance(A, A) == 0

    @inherited
    @given(diagrams(), diagrams(), diagrams())
    def test_triangle_inequality(self, A, B, C):
        slack = self.eps * sum(np.abs(diagram).sum() for diagram in (A, B, C))
        direct = self.distance(A, C)
        assert direct <= self.distance(A, B) + self.distance(B, C) + slack

    @inherited
    @given(diagrams(), diagrams(), st.integers(-50, 50))
    def test_translation_along_the_diagonal(self, A, B, shift):
        moved = self.distance(A + shift, B + shift)
        self.close(moved, self.distance(A, B), A, B, A + shift, B + shift)

    @inherited
    @given(diagrams(), diagrams(), st.randoms())
    def test_order_of_points_does_not_matter(self, A, B, random):
        order = list(range(len(A)))
        random.shuffle(order)
        self.close(self.distance(A[order], B), self.distance(A, B), A, B)

    @inherited
    @given(diagrams(), diagrams())
    def test_reflection_at_the_antidiagonal(self, A, B):
        if self.reflection:
            reflected = self.distance(-A[:, ::-1], -B[:, ::-1])
            self.close(reflected, self.distance(A, B), A, B)

    @inherited
    @given(diagrams(), diagrams(), st.lists(st.integers(-5, 5), max_size=3))
    def test_points_on_the_diagonal_do_not_matter(self, A, B, places):
        extra = np.array([(x, x) for x in places], dtype=float).reshape(-1, 2)
        padded = self.distance(np.concatenate([A, extra]), B)
        self.close(padded, self.distance(A, B), A, B, extra)

    @inherited
    @given(
        diagrams(), diagrams(), st.sampled_from([1e-200, 1e-6, 0.3, 7.0, 1e6, 1e200])
    )
    def test_homogeneous(self, A, B, factor):
        scaled = self.distance(factor * A, factor * B) / factor
        self.close(scaled, self.distance(A, B), A, B)
