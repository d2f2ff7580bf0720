"""Writes what other programs make of colours."""
# Packages: programs.txt

import argparse
import json
import sys

import cv2
import numpy
from PIL import Image, __version__ as pillow_version

import samples
import ycbcr
from freeze_equalization import FIXTURES, fixture_paths

FOLDER = FIXTURES / "golden" / "color"

DESCRIPTION = """\
Writes fixtures/golden/color/: pictures.json, the hashes of the pixels that Pillow (convert("L"), convert("RGBa"))
and OpenCV (COLOR_mRGBA2RGBA) make of the fixtures of 8 bits; and planes.json, a small picture of noise as planes of
Y'CbCr and back, by NumPy in floats of 64 bits and by ffmpeg's zscale. Safelight has no part in it. The hash is that
of freeze-equalization."""


def pictures() -> dict:
    """Hashes by file and by filter."""
    result = {}
    for path in fixture_paths():
        picture = samples.read(path)
        if picture.bits != 8 or picture.channels < 3:
            continue
        stored = numpy.ascontiguousarray(picture.samples.astype(numpy.uint8))
        gray = numpy.asarray(Image.fromarray(stored[..., :3], "RGB").convert("L"))
        made = {"gray": numpy.concatenate([numpy.stack([gray] * 3, axis=2), stored[..., 3:]], axis=2)}
        if picture.channels == 4:
            made["premultiply"] = numpy.asarray(Image.fromarray(stored, "RGBA").convert("RGBa"))
            made["unpremultiply"] = cv2.cvtColor(stored, cv2.COLOR_mRGBA2RGBA)
        name = path.relative_to(FIXTURES).as_posix()
        result[name] = {
            filter: picture.with_samples(samples_made.astype(numpy.uint64)).digest()
            for filter, samples_made in made.items()
        }
    return {"programs": {"pillow": pillow_version, "opencv": cv2.__version__}, "pictures": result}


def planes() -> dict:
    """A picture of noise, odd in both directions, by every matrix and range."""
    noise = numpy.random.RandomState(7).randint(0, 65536, (5, 7, 3))
    noise[0, :3], noise[1, 0] = [[0, 0, 0], [65535] * 3, [65535, 0, 0]], [0, 0, 65535]
    rgb = {8: noise >> 8, 16: noise}
    conversions = []
    for bits in (8, 10, 12, 16):
        deep = 8 if bits == 8 else 16
        for chroma in ycbcr.STEPS:
            for number, (matrix, range) in enumerate((m, r) for m in ycbcr.MATRICES for r in ycbcr.RANGES):
                full = range == "full"
                siting = ycbcr.SITINGS[(number + len(conversions)) % 3]
                made = ycbcr.planes(rgb[deep], deep, matrix, full, chroma, siting, bits)
                ways = [("numpy", made, ycbcr.picture(made, deep, matrix, full, chroma, siting, bits))]
                if chroma == "444":
                    other = ycbcr.zscale_planes(rgb[deep], deep, matrix, full, bits)
                    ways.append(("zscale", other, ycbcr.zscale_picture(other, deep, matrix, full, bits)))
                for by, made, back in ways:
                    conversions.append(
                        {
                            "by": by, "layout": f"yCbCr{chroma}Planar{bits}", "matrix": matrix, "range": range,
                            "siting": siting, "planes": [plane.flatten().tolist() for plane in made],
                            "picture": back.flatten().tolist(),
                        }
                    )
    height, width, _ = noise.shape
    return {
        "width": width, "height": height, "rgb8": rgb[8].flatten().tolist(), "rgb16": rgb[16].flatten().tolist(),
        "conversions": conversions,
    }


def text(value: dict) -> str:
    """One line for each entry of a list of conversions, so that a difference can be read."""
    if "conversions" not in value:
        return json.dumps(value, indent=2) + "\n"
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in value["conversions"])
    head = json.dumps({key: part for key, part in value.items() if key != "conversions"}, separators=(",", ":"))
    return f'{head[:-1]},"conversions":[\n{lines}\n]}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="freeze-color", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file is out of date")
    arguments = parser.parse_args()

    made = {"pictures.json": pictures(), "planes.json": planes()}
    if not made["pictures.json"]["pictures"]:
        print("freeze-color: there are no fixtures", file=sys.stderr)
        return 2
    stale = [
        name for name, value in made.items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_text() != text(value)
    ]
    counts = f"{len(made['pictures.json']['pictures'])} pictures, {len(made['planes.json']['conversions'])} conversions"
    if arguments.check:
        print(f"{counts}: {', '.join(stale) + ' differ' if stale else 'as frozen'}")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, value in made.items():
        (FOLDER / name).write_text(text(value))
    print(f"{counts} frozen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
