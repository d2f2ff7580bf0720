"""Writes the pixel hashes that fixtures must have with text in them, computed outside Safelight."""
# Packages: fonts.txt

import json
import random
import sys
from fractions import Fraction
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import command
import lettering
import numpy
import samples
from freeze_equalization import FIXTURES
from samples import Picture

HASHES = FIXTURES / "golden" / "text" / "hashes.json"
FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")

DESCRIPTION = """\
Writes fixtures/golden/text/hashes.json: for each of some chains with text and some pictures of the fixtures, the
hash of the pixels that come out. fontTools reads the outlines of DejaVu Sans, uharfbuzz (a HarfBuzz of its own)
places the glyphs, and lettering.py draws them in Python's integers; letters of Pillow, whose FreeType hints them, must
have the same ink within an eighth. Safelight has no part in it. A picture without a hash must be refused."""

PICTURES = [
    f"made/{name}.png"
    for name in (
        "grey8-every-value grey16-every-value greya8-noise greya16-noise rgb8-noise rgb16-noise rgba8-noise rgba16-noise "
        "rgba8-every-alpha size-1x7 size-17x31 size-31x17-rgb16 palette8 rgba8-sprite"
    ).split()
]

PLAIN = dict(size=20, margin=2)
GREY = (192, 192, 192, 160)
CHAINS: dict[str, tuple[str, dict]] = {
    "text=Ag:size=20:margin=2": ("Ag", PLAIN),
    "text='{{AVA} 5%':size=13:gravity=north:margin=1:y=1": ("{AVA} 5%", dict(size=13, gravity="north", margin=1, y=1)),
    "text=office:size=40:gravity=center:x=-9:y=3:color=#c0c0c0a0:shadow=black": (
        "office", dict(size=40, gravity="center", x=-9, y=3, color=GREY, shadow=(0, 0, 0, 255))),
    "text=Öl:size=11:gravity=southeast:margin=0:color=#ff8000:background=#00204080": (
        "Öl", dict(size=11, gravity="southeast", margin=0, color=(255, 128, 0, 255), background=(0, 32, 64, 128))),
    "text='l\ni\nwide':size=7:gravity=east:margin=1:shadow=#000000c0:background=#ffffff60": (
        "l\ni\nwide",
        dict(size=7, gravity="east", margin=1, shadow=(0, 0, 0, 192), background=(255, 255, 255, 96))),
    "text=@:size=200:gravity=center:color=black": ("@", dict(size=200, gravity="center", color=(0, 0, 0, 255))),
    "text='{timecode} {name}':size=9:margin=0:gravity=northwest:start='00:00:59;29':rate=29.97": (
        "00:00:59;29 NAME", dict(size=9, margin=0, gravity="northwest")),
    "text='{frame:3} {time}':size=10:margin=0:gravity=west": ("NUMBER 00:00:00.000", dict(size=10, margin=0, gravity="west")),
    "text='سلام':size=24:gravity=center": ("سلام", dict(size=24, gravity="center")),
    "text=o:y=10000": ("o", dict(size=32, y=10000)),
}


def words(text: str, name: str) -> str:
    """The text for a picture that stands alone."""
    stem = Path(name).stem
    numbers = "".join(character if character.isdigit() else " " for character in stem).split()
    number = int(numbers[-1]) if numbers else 1
    return text.replace("NAME", stem).replace("NUMBER", f"{number:03}")


def witness(face: lettering.Face, text: str, size: int) -> None:
    """Compares the ink of white letters on black with Pillow's."""
    ascent, descent, _ = face.rows(size)
    box = Picture(numpy.zeros((ascent + descent, 8 * size, 1), dtype=numpy.uint64), 8, 8, False)
    for letter in text:
        mine = lettering.drawn(box, face, letter, size=size, gravity="northwest", margin=0)
        theirs = Image.new("L", (8 * size, ascent + descent))
        font = ImageFont.truetype(str(FONT), size, layout_engine=ImageFont.Layout.BASIC)
        draw = ImageDraw.Draw(theirs)
        draw.fontmode = "L"
        draw.text((0, ascent), letter, fill=255, font=font, anchor="ls")
        ink = mine.samples[:, :, 0].astype(numpy.int64)
        other = numpy.asarray(theirs, dtype=numpy.int64)
        assert abs(ink.sum() - other.sum()) * 8 < other.sum(), f"Pillow draws another {letter} of {size} pixels"


def hashes() -> str:
    """The text of hashes.json."""
    face = lettering.Face.read(FONT)
    for size in (24, 64):
        witness(face, "AgOe5%@", size)
    pictures = {name: samples.read(FIXTURES / name) for name in PICTURES}
    made = {
        chain: {
            name: drawn.digest()
            for name, picture in pictures.items()
            if (drawn := lettering.drawn(picture, face, words(text, name), **settings)) is not None
        }
        for chain, (text, settings) in CHAINS.items()
    }
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def clipped(polygon: list[tuple[Fraction, Fraction]], axis: int, limit: int, sign: int) -> list[tuple[Fraction, Fraction]]:
    """The part of a polygon where sign * (coordinate - limit) is above 0 (Sutherland and Hodgman 1974)."""
    made = []
    for one, other in zip(polygon, polygon[1:] + polygon[:1]):
        here, there = (sign * (point[axis] - limit) for point in (one, other))
        if here >= 0:
            made.append(one)
        if here * there < 0:
            part = here / (here - there)
            made.append(tuple(a + part * (b - a) for a, b in zip(one, other)))
    return made


def area(polygon: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The area that a polygon encloses."""
    return abs(sum((a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, polygon[1:] + polygon[:1])), Fraction())) / 2


def self_test() -> int:
    """Compares coverage with the areas of triangles in fractions: no pixel may be off by more than 3 of 65535."""
    generator = random.Random(7)
    most = Fraction()
    width, height = 5, 4
    for _ in range(400):
        triangle = [(generator.randint(-100_000, 450_000), generator.randint(-100_000, 400_000)) for _ in range(3)]
        changes = lettering.blank(width, height)
        for one, other in zip(triangle, triangle[1:] + triangle[:1]):
            lettering.add_line(changes, one, other)
        made = lettering.coverage(changes)
        exact = [tuple(Fraction(number, lettering.UNIT) for number in point) for point in triangle]
        for y in range(height):
            for x in range(width):
                part = exact
                for axis, limit, sign in [(0, x, 1), (0, x + 1, -1), (1, y, 1), (1, y + 1, -1)]:
                    part = clipped(part, axis, limit, sign)
                most = max(most, abs(int(made[y, x]) - 65535 * area(part)))
    print(f"the areas of 400 triangles are within {float(most):.2f} of 65535")
    return 0 if most <= 3 else 1


def main() -> int:
    parser = command.freezing(DESCRIPTION)
    parser.add_argument("--self-test", action="store_true", help="compare coverage with areas in fractions")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    text = hashes()
    count = sum(map(len, json.loads(text).values()))
    return command.freeze(HASHES, text, count, check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
