"""Writes the hashes of pictures that Pillow turns upright as their Exif data says."""

import io
import json
import sys
from pathlib import Path

import numpy
from PIL import ExifTags, Image, ImageOps

import command
import samples
from freeze_equalization import FIXTURES

HASHES = FIXTURES / "golden" / "orientation" / "hashes.json"

DESCRIPTION = """\
Writes fixtures/golden/orientation/hashes.json: for some pictures of the fixtures, each with the Exif orientations 0 to
9, of which 0 and 9 mean nothing, the hash of the pixels after ImageOps.exif_transpose of Pillow. Safelight has no part
in it. The hash is made as in equalization/hashes.json."""

PICTURES = "made/size-17x31.png made/rgba8-noise.png made/greya8-noise.png made/grey16-every-value.png".split()


def upright(path: Path, number: int) -> str:
    """The hash of the picture once Pillow has read the tag of a file that it wrote itself."""
    with Image.open(path) as picture:
        exif = picture.getexif()
        exif[ExifTags.Base.Orientation] = number
        file = io.BytesIO()
        picture.save(file, "PNG", exif=exif)
    with Image.open(file) as tagged:
        assert tagged.getexif()[ExifTags.Base.Orientation] == number
        turned = ImageOps.exif_transpose(tagged)
        assert number not in range(2, 9) or ExifTags.Base.Orientation not in turned.getexif()
        pixels = numpy.asarray(turned)
    bits = 8 * pixels.itemsize
    pixels = pixels.reshape(*pixels.shape[:2], -1).astype(numpy.uint64)
    return samples.Picture(pixels, bits, bits, False).digest()


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    hashes = {name: {str(number): upright(FIXTURES / name, number) for number in range(10)} for name in PICTURES}
    return command.freeze(HASHES, json.dumps(hashes, indent=2) + "\n", len(PICTURES), check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
