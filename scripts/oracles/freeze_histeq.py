"""Writes the pixel hashes that the fixtures have after ffmpeg's histeq."""

import argparse
import json
import sys

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
    parser = argparse.ArgumentParser(
        prog="freeze-histeq", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is out of date")
    arguments = parser.parse_args()

    text = hashes()
    count = len(json.loads(text)["pictures"])
    if count == 0:
        print("freeze-histeq: there are no fixtures", file=sys.stderr)
        return 2
    if arguments.check:
        current = json.loads(HASHES.read_text())["pictures"] if HASHES.exists() else {}
        same = current == json.loads(text)["pictures"]
        print(f"{count} pictures, {histeq.version()}, hashes {'as frozen' if same else 'differ from those frozen'}")
        return 0 if same else 1
    HASHES.write_text(text)
    print(f"{count} pictures frozen, {histeq.version()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
