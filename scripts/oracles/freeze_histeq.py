"""Writes the pixel hashes that the fixtures have after ffmpeg's histeq."""

import json
import sys

import command
import histeq
import samples
from freeze_equalization import FIXTURES, fixture_paths

HASHES = FIXTURES / "golden" / "equalization" / "histeq.json"

DESCRIPTION = """\
Writes fixtures/golden/equalization/histeq.json: for the pictures of 8 bits in the fixtures, of the dark room one
frame, the hash of the pixels that ffmpeg's histeq makes of them at several strengths and intensities, without
antibanding. Safelight has no part in it. The hash is that of freeze-equalization."""


def hashes() -> str:
    """The text of histeq.json."""
    pictures = {}
    for path in fixture_paths():
        name = path.relative_to(FIXTURES).as_posix()
        picture = samples.read(path)
        if picture.bits == 8 and (not name.startswith("dark-room/") or name.endswith("12.png")):
            pictures[name] = {
                histeq.filter_text(*setting): histeq.equalize(picture, *setting).digest() for setting in histeq.SETTINGS
            }
    return json.dumps({"program": histeq.version(), "pictures": pictures}, indent=2) + "\n"


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    text = hashes()
    count = len(json.loads(text)["pictures"])
    return command.freeze(
        HASHES, text, count, check=arguments.check, remark=histeq.version(), part=lambda made: made.get("pictures")
    )


if __name__ == "__main__":
    sys.exit(main())
