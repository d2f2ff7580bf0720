"""Measures how far Safelight's three-dimensional look-up tables lie from ffmpeg's and from floating point."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import png

import color_tables
import samples
from freeze_equalization import FIXTURES

DESCRIPTION = """\
Looks noise of 512 x 512 up in a .cube file with `safelight process --filter lut`, with ffmpeg's
lut3d=interp=tetrahedral, and by tetrahedral interpolation in doubles, and prints what lies between them, in
samples. ffmpeg is left out where the file has a domain of its own, to which it does not move its entries.
Exits with 1 where doubles are more than one sample away, two with such a domain in 16 bits."""

SIDE = 512


def noise(bits: int) -> numpy.ndarray:
    return numpy.random.default_rng(3).integers(0, (1 << bits) - 1, (SIDE, SIDE, 3), endpoint=True)


def safelight(tool: str, device: str, table: Path, colors: numpy.ndarray, bits: int) -> numpy.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.png", Path(folder) / "after.png"
        with before.open("wb") as file:
            rows = colors.astype(numpy.uint16 if bits == 16 else numpy.uint8).reshape(SIDE, -1)
            png.Writer(SIDE, SIDE, greyscale=False, bitdepth=bits, compression=1).write(file, rows)
        options = ["--filter", f"lut=file='{table}'", "--device", device, "--progress", "none"]
        subprocess.run([tool, "process", before, "-o", after, *options], check=True)
        return samples.read(after).samples.astype(numpy.float64)


def ffmpeg(table: Path, colors: numpy.ndarray, bits: int) -> numpy.ndarray:
    layout, kind = ("rgb24", "u1") if bits == 8 else ("rgb48le", "<u2")
    raw = ["-f", "rawvideo", "-pix_fmt", layout]
    chain = ["-vf", f"lut3d=file={table}:interp=tetrahedral"]
    command = ["ffmpeg", "-v", "error", *raw, "-s", f"{SIDE}x{SIDE}", "-i", "-", *chain, *raw, "-"]
    made = subprocess.run(command, input=colors.astype(kind).tobytes(), capture_output=True, check=True).stdout
    return numpy.frombuffer(made, kind).reshape(SIDE, SIDE, 3).astype(numpy.float64)


def doubles(file: color_tables.CubeFile, colors: numpy.ndarray, bits: int) -> numpy.ndarray:
    """By barycentric weights, axis after axis in the order of the parts; nothing is rounded."""
    maximum, size, cube = (1 << bits) - 1, file.size, file.cube
    least, greatest = (numpy.array([float(n) for n in side]) for side in (cube.least, cube.greatest))
    entries = numpy.clip(numpy.array(cube.entries, dtype=numpy.float64), 0, 1).reshape(size, size, size, 3)
    places = numpy.clip((colors.reshape(-1, 3) / maximum - least) / (greatest - least), 0, 1) * (size - 1)
    cells = numpy.minimum(places.astype(int), size - 2)
    parts = places - cells
    corner = cells.copy()
    value = entries[corner[:, 2], corner[:, 1], corner[:, 0]].copy()
    for axis in numpy.argsort(-parts, axis=1).T:
        before = entries[corner[:, 2], corner[:, 1], corner[:, 0]]
        rows = numpy.arange(len(corner))
        corner[rows, axis] += 1
        value += parts[rows, axis][:, None] * (entries[corner[:, 2], corner[:, 1], corner[:, 0]] - before)
    return value.reshape(colors.shape) * maximum


def report(name: str, difference: numpy.ndarray) -> float:
    least, greatest = float(difference.min()), float(difference.max())
    print(f"  {name}: {least:+.4f} to {greatest:+.4f}, mean {float(difference.mean()):+.4f}")
    return max(-least, greatest)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="compare-lut", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="software", help="as given to Safelight")
    parser.add_argument("--table", type=Path, action="append", help="a .cube file of a cube alone; those of the fixtures where none is given")
    parser.add_argument("tool", nargs="?", default=".build/release/safelight", help="the program safelight")
    arguments = parser.parse_args()
    tables = arguments.table or [FIXTURES / "tables" / name for name in ("look-17.cube", "domain-5.cube")]
    is_far = False
    try:
        for table in tables:
            file = color_tables.read(table)
            for bits in (8, 16):
                colors = noise(bits)
                ours = safelight(arguments.tool, arguments.device, table, colors, bits)
                print(f"{table.name}, {bits} bits: Safelight less")
                has_domain = file.cube.least != [0] * 3 or file.cube.greatest != [1] * 3
                farthest = report("doubles", ours - doubles(file, colors, bits))
                # Positions in a domain are whole samples of 16 bits, and entries may be steep.
                is_far = is_far or farthest > (2 if has_domain and bits == 16 else 1)
                if not has_domain:
                    report("ffmpeg", ours - ffmpeg(table, colors, bits))
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"compare-lut: {problem}", file=sys.stderr)
        return 2
    return 1 if is_far else 0


if __name__ == "__main__":
    sys.exit(main())
