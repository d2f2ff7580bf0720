"""Writes the pixel hashes that the fixtures have after OpenCV's CLAHE."""
# Packages: programs.txt

import json
import sys

import clahe
import command
import programs
import samples
from freeze_equalization import FIXTURES, fixture_paths
from samples import Picture

HASHES = FIXTURES / "golden" / "equalization" / "clahe.json"

#: Clip limit, columns and rows. Few tiles for 16 bits, where each has 65536 entries.
SETTINGS = [(40, 8, 8), (2, 4, 3), (0.5, 2, 2), (0, 3, 1)]

DESCRIPTION = """\
Writes fixtures/golden/equalization/clahe.json: for every picture in the fixtures, the hash of the pixels
that cv2.createCLAHE makes of it for several clip limits and grids, for the channels `each` and `luma`; OpenCV counts
pixels of alpha 0 too, so that for pictures with some this is counts=all. What becomes of those if they do not count is
worked out by clahe.py, which must make OpenCV's bytes of every picture if all pixels count.
Safelight has no part in it. The hash is that of freeze-equalization."""


def made(picture: Picture, clip: float, columns: int, rows: int) -> dict[str, str]:
    """The hash for each of the channels, and for each of the pixels that may be counted."""
    result = {}
    for channels in ("each", "luma"):
        theirs = programs.clahe(picture, clip, columns, rows, channels).digest()
        settings = (clip, columns, rows, channels)
        assert clahe.equalize(picture, *settings, picture.all).digest() == theirs, f"OpenCV differs: {picture.kind} {settings}"
        if picture.counted.all():
            result[channels] = theirs
        else:
            result[f"{channels}:counts=all"] = theirs
            result[channels] = clahe.equalize(picture, *settings, picture.counted).digest()
    return result


def hashes() -> str:
    """The text of clahe.json; the settings are written as the filter takes them."""
    pictures = {}
    for path in fixture_paths():
        # a film is much of the same
        if path.parent.name == "dark-room" and not path.stem.endswith("12"):
            continue
        picture = samples.read(path)
        pictures[path.relative_to(FIXTURES).as_posix()] = {
            f"clip={clip}:columns={columns}:rows={rows}": made(picture, clip, columns, rows)
            for clip, columns, rows in SETTINGS
            if picture.bits == 8 or columns * rows <= 12
        }
    return json.dumps({"program": programs.VERSIONS["opencv"], "pictures": pictures}, indent=2) + "\n"


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    text = hashes()
    count = len(json.loads(text)["pictures"])
    return command.freeze(HASHES, text, count, check=arguments.check, remark=programs.VERSIONS["opencv"])


if __name__ == "__main__":
    sys.exit(main())
