"""Read as many mutated files as asked, and the monsters, and report what happened.

``python benchmarks/fuzz_files.py --files 10000 --seed 0`` ends with status 1 if
anything but a valid result or a `DiagramFileError` came out, or if a file took more
than a second of the processor or 500 MB. (Elapsed time is shown too; on a busy machine
it says more about the neighbours than about the file.)
"""

from __future__ import annotations

import argparse
import resource
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.file_mutations import Outcome, Sample, monsters, mutated_files, try_file

MOST_SECONDS = 1.0
MOST_MEGABYTES = 500.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-monsters", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("error")
    samples: Iterator[Sample] = mutated_files(options.files, options.seed)
    if not options.no_monsters:
        samples = chain(samples, monsters())
    outcomes, megabytes = [], []
    for sample in tqdm(samples, unit="file"):
        outcome, used = measure(sample)
        outcomes.append(outcome)
        megabytes.append(used)
    return report(outcomes, megabytes)


def measure(sample: Sample) -> tuple[Outcome, float]:
    """Outcome, and the memory in MB that reading took beyond what was in use."""
    before = reset_peak()
    outcome = try_file(sample)
    return outcome, peak() - before


def reset_peak() -> float:
    """Let Linux forget the peak so far; elsewhere it is the peak of the whole run."""
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def report(outcomes: list[Outcome], megabytes: list[float]) -> int:
    counts = Counter("escaped" if o.escaped else o.result for o in outcomes)
    slowest = max(outcomes, key=lambda outcome: outcome.cpu_seconds)
    used, largest = max(zip(megabytes, outcomes, strict=True), key=lambda pair: pair[0])
    print(f"files tried         {len(outcomes)}")
    print(f"read / refused      {counts['read']} / {counts['refused']}")
    print(f"exceptions escaped  {counts['escaped']}")
    print(
        f"slowest file        {slowest.cpu_seconds:.2f} s of CPU, "
        f"{slowest.seconds:.2f} s elapsed ({slowest.what})"
    )
    print(f"peak memory         {used:.0f} MB ({largest.what})")
    for outcome in [outcome for outcome in outcomes if outcome.escaped][:20]:
        print(f"escaped: {outcome.what}: {outcome.result}")
    good = (
        not counts["escaped"]
        and slowest.cpu_seconds <= MOST_SECONDS
        and used <= MOST_MEGABYTES
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
