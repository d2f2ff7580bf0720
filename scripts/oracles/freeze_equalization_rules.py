"""Writes the pixel hashes that the equalized fixtures have in other programs."""
# Packages: programs.txt

import json
import sys

import command
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
    arguments = command.freezing(DESCRIPTION).parse_args()
    text = hashes()
    count = len(json.loads(text)["pictures"])
    return command.freeze(HASHES, text, count, check=arguments.check, remark=", ".join(programs.VERSIONS.values()))


if __name__ == "__main__":
    sys.exit(main())
