"""Compare diagram distances with optima in whole numbers, and report what happened.

``python benchmarks/fuzz_distances.py --pairs 6000 --seed 0`` takes pairs of small
diagrams of many families (nearly equal, clustered, far from the origin ...), for each
the orders 1, 2, 3, 6, 10, 17 and inf, and ends with status 1 if a distance or the cost
of a matching is outside of the stated bound, if d_p(A, A) is not 0, or if d_p rises
with p. ``--large 100`` adds pairs of up to 40 points.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from itertools import chain
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.diagram_pairs import BOUND, ORDERS, complaints, hard_pairs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=6000)
    parser.add_argument("--large", type=int, default=36)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("error")
    pairs = chain(
        hard_pairs(options.pairs, options.seed),
        hard_pairs(options.large, options.seed, largest=40),
    )
    tried, wrong = Counter(), Counter()
    examples = []
    for family, A, B in tqdm(pairs, unit="pair"):
        tried[family] += 1
        found = complaints(A, B)
        if found:
            wrong[family] += 1
            examples.append((family, found, A.tolist(), B.tolist()))
    print(f"pairs tried         {tried.total()}, orders {ORDERS}")
    print(f"relative bound      {BOUND:g}; for p = inf one rounding")
    print(f"pairs outside of it {wrong.total()}")
    for family in tried:
        print(f"  {family:20} {wrong[family]} of {tried[family]}")
    for example in examples[:10]:
        print(*example, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
