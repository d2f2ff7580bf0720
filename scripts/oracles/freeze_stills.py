"""Writes still pictures whose chroma pixels share, and what Pillow makes of them."""

import sys

import numpy
from PIL import Image

import command
from freeze_equalization import FIXTURES

FOLDER = FIXTURES / "golden" / "stills"
KINDS = {
    "webp": {"quality": 90}, "avif": {"quality": 90, "subsampling": "4:2:0"}, "jpg": {"quality": 90, "subsampling": 2},
}

DESCRIPTION = """\
Writes fixtures/golden/stills/: a picture of red and blue waves as a lossy WebP, AVIF and JPEG of 4:2:0, with and
without alpha, and what Pillow reads from each. Safelight has no part in it. --check reads the stored pictures again."""


def waves(has_alpha: bool) -> Image.Image:
    """Chroma that changes along the rows and down, at nearly the same luma."""
    x, y = numpy.meshgrid(numpy.arange(48), numpy.arange(32))
    along, down = numpy.sin(x * numpy.pi / 8), numpy.sin(y * numpy.pi / 8)
    red, blue = 128 + 70 * along, 128 + 70 * down
    green = (128 - 0.299 * red - 0.114 * blue) / 0.587
    planes = [red, green, blue] + ([255 - 2 * x] if has_alpha else [])
    return Image.fromarray(numpy.stack([plane.round().astype("u1") for plane in planes], axis=2))


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    differing = []
    for kind, options in KINDS.items():
        for has_alpha in (False, True):
            if has_alpha and kind != "webp":
                continue
            path = FOLDER / f"{'alpha' if has_alpha else 'waves'}.{kind}"
            if not arguments.check:
                waves(has_alpha).save(path, **options)
            read = Image.open(path)
            if arguments.check:
                if not numpy.array_equal(read, Image.open(f"{path}.png")):
                    differing.append(path.name)
            else:
                read.save(f"{path}.png", icc_profile=None)
    what = f"differ from Pillow: {', '.join(differing)}" if differing else "as Pillow reads them"
    print(f"{len(KINDS) + 1} stills {what}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
