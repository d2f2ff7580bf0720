"""Writes the pixel hashes that the equalized fixtures have in other programs."""
# Packages: programs.txt

import argparse
import json
import sys

import programs
import samples
from freeze_equalization import FIXTURES, fixture_paths

HASHES = FIXTURES / "golden" / "equalization" / "rules.json"

DESCRIPTION = """\
Writes fixtures/golden/equalization/rules.json: for every picture in the fixtures, the hash of the pixels
that OpenCV, Pillow and libvips make of it, for the channels `each` and `luma`, where the program takes
pictures of its depth. Safelight has no part in it. The hash is that of freeze-equalization."""


def hashes() -> str:
    """The text of rules.json."""
    pictures = {}
    for path in fixture_paths():
        picture = samples.read(path)
        pictures[path.relative_to(FIXTURES).as_posix()] = {
            rule: {channels: programs.equalize(rule, picture, channels).digest() for channels in ("each", "luma")}
            for rule in programs.RULES
            if programs.takes(rule, picture)
        }
    return json.dumps({"programs": programs.VERSIONS, "pictures": pictures}, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="freeze-equalization-rules", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is out of date")
    arguments = parser.parse_args()

    text = hashes()
    count = len(json.loads(text)["pictures"])
    if count == 0:
        print("freeze-equalization-rules: there are no fixtures", file=sys.stderr)
        return 2
    if arguments.check:
        current = HASHES.exists() and HASHES.read_text() == text
        print(f"{count} pictures, hashes {'as frozen' if current else 'differ from those frozen'}")
        return 0 if current else 1
    HASHES.write_text(text)
    print(f"{count} pictures frozen, {', '.join(programs.VERSIONS.values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
