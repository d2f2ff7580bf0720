"""Writes what the programs in Examples/ must show, computed outside Safelight."""

import argparse
import json
import sys

import numpy
import png

import examples
import samples

GOLDEN = examples.FIXTURES / "golden" / "examples"

DESCRIPTION = """\
Writes fixtures/golden/examples/: runs.json with the arguments of each run and the times and hashes of its pictures, and as PNG files
a picture or a few of each program, which are its goldens. NumPy computes them from what pypng and ffmpeg read, never
Safelight. Where a golden has changed, golden.json refuses it until it is approved: safelight golden approve.

The hash is that of freeze-equalization."""


def frozen() -> tuple[str, dict[str, numpy.ndarray]]:
    """The text of runs.json, and the pictures beside it."""
    lines, pictures = [], {}
    for run in examples.all_runs():
        line = {"program": run.program, "arguments": run.arguments}
        line["times"] = [None if time is None else str(time) for time in run.times]
        if run.tolerance:
            line["tolerance"] = run.tolerance
        else:
            line["hashes"] = [examples.digest(picture) for picture in run.pictures]
        if run.names:
            line["pictures"] = run.names
            pictures |= dict(zip(run.names, run.pictures))
        lines.append(json.dumps(line))
    return "[\n" + ",\n".join(lines) + "\n]\n", pictures


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="freeze-examples", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file is out of date")
    arguments = parser.parse_args()
    text, pictures = frozen()
    index = GOLDEN / "runs.json"
    if arguments.check:
        current = index.exists() and index.read_text() == text
        for name, picture in pictures.items():
            path = GOLDEN / name
            current = current and path.exists() and numpy.array_equal(samples.read(path).samples, picture)
        print(f"{len(json.loads(text))} runs, {'as frozen' if current else 'they differ from those frozen'}")
        return 0 if current else 1
    GOLDEN.mkdir(parents=True, exist_ok=True)
    index.write_text(text)
    for name, picture in pictures.items():
        rows = picture.reshape(picture.shape[0], -1).astype(numpy.uint8)
        png.from_array(rows, {3: "RGB", 4: "RGBA"}[picture.shape[2]]).save(GOLDEN / name)
    print(f"{len(json.loads(text))} runs frozen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
