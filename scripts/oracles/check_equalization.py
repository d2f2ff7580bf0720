"""Compares equalized PNG files with an equalization computed outside Safelight."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import equalization
import samples
from samples import Picture

DESCRIPTION = """\
Compares equalized PNG files with an equalization (rule normalized-sum) computed outside Safelight:
read by pypng, counted and mapped in integers by NumPy. Every sample is compared, and so are the kind and
the depth: a palette must have become RGB, transparency an alpha channel."""

EPILOG = """\
Each INPUT is a PNG file or a folder of them, and goes with the OUTPUT that follows it.
Exit status: 0 all equal; 1 something differs; 2 nothing to compare, names without a partner, or a file
that cannot be read."""


class NotComparable(Exception):
    """There is nothing to compare, or a file has no partner."""


@dataclass
class Comparison:
    differing: int
    message: str

    @property
    def equal(self) -> bool:
        return self.message == "equal"


def compare(source: Picture, actual: Picture, channels: str) -> Comparison:
    """Compares `actual` with the equalization of `source`."""
    expected = equalization.equalize(source, channels)
    total = expected.samples.size
    if actual.stored_palette:
        return Comparison(total, "is stored with a palette")
    if actual.kind != expected.kind or actual.samples.shape != expected.samples.shape:
        return Comparison(total, f"is {_describe(actual)}, expected {_describe(expected)}")
    if actual.stored_bits not in {expected.bits, source.stored_bits}:
        return Comparison(total, f"is stored in {actual.stored_bits} bits, expected {expected.bits}")

    differs = actual.samples != expected.samples
    count = int(differs.sum())
    if count == 0:
        return Comparison(0, "equal")
    most = int(abs(actual.samples.astype("int64") - expected.samples.astype("int64")).max())
    y, x, channel = (int(place[0]) for place in differs.nonzero())
    return Comparison(
        count,
        f"{count} of {total} samples differ, at most by {most}; first at x {x}, y {y}, channel {channel}: "
        f"expected {expected.samples[y, x, channel]}, is {actual.samples[y, x, channel]}",
    )


def _describe(picture: Picture) -> str:
    height, width, _ = picture.samples.shape
    return f"{width}x{height} {picture.kind}"


def pairs(source: Path, output: Path) -> list[tuple[Path, Path]]:
    """The files to compare, in the order of their names."""
    for path in (source, output):
        if not path.exists():
            raise NotComparable(f"{path}: no such file or folder")
    if source.is_dir() != output.is_dir():
        raise NotComparable(f"{source} and {output}: one is a folder and the other is not")
    if not source.is_dir():
        return [(source, output)]

    names = {path.name for path in source.glob("*.png")}
    outputs = {path.name for path in output.glob("*.png")}
    if missing := sorted(names - outputs):
        raise NotComparable(f"{output}: no output for {', '.join(missing)}")
    if extra := sorted(outputs - names):
        raise NotComparable(f"{output}: no input for {', '.join(extra)}")
    return [(source / name, output / name) for name in sorted(names)]


def check(paths: list[Path], channels: str) -> int:
    """Compares all pairs, prints a line for each, and gives the exit status."""
    try:
        found = [pair for two in zip(paths[::2], paths[1::2], strict=True) for pair in pairs(*two)]
        if not found:
            raise NotComparable("no PNG file to compare")
        differing = unequal = 0
        for source, output in found:
            comparison = compare(samples.read(source), samples.read(output), channels)
            differing += comparison.differing
            unequal += not comparison.equal
            print(f"{output}: {comparison.message}")
    except (NotComparable, samples.Unreadable) as problem:
        print(f"check-equalization: {problem}", file=sys.stderr)
        return 2
    print(f"{len(found)} files, {differing} differing samples")
    return 1 if unequal else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="check-equalization",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [--channels each|luma] INPUT OUTPUT [INPUT OUTPUT …]\n       %(prog)s --self-test",
    )
    parser.add_argument("--channels", choices=["each", "luma"], default="luma", help="as given to Safelight")
    parser.add_argument("--self-test", action="store_true", help="check this checker")
    parser.add_argument("paths", nargs="*", type=Path, metavar="INPUT OUTPUT")
    arguments = parser.parse_args()

    if arguments.self_test:
        import equalization_self_test

        return equalization_self_test.run()
    if not arguments.paths or len(arguments.paths) % 2:
        parser.error("give an OUTPUT for every INPUT")
    return check(arguments.paths, arguments.channels)


if __name__ == "__main__":
    sys.exit(main())
