"""Writes the pixel hashes that the equalized fixtures must have, computed outside Safelight."""

import json
import sys
from pathlib import Path

import command
import equalization
import samples

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
HASHES = FIXTURES / "golden" / "equalization" / "hashes.json"

DESCRIPTION = """\
Writes fixtures/golden/equalization/hashes.json: for every picture in the fixtures, the hash of the pixels
it has after equalization by the rule normalized-sum, for the channels `each` and `luma`, and once more with
counts=all where it has pixels of alpha 0. It is computed by
NumPy from what pypng reads, never by Safelight, so it can tell on Safelight.

The hash is SHA-256 over width, height, channels, bits (four little-endian 32-bit numbers) and the samples
in PNG order, big-endian where they have 16 bits."""


def fixture_paths() -> list[Path]:
    """Every picture that can be equalized, in the order of their names."""
    return sorted(
        path for path in FIXTURES.rglob("*.png") if path.relative_to(FIXTURES).parts[0] not in {"broken", "golden"}
    )


def hashes() -> str:
    """The text of hashes.json."""
    result = {}
    for path in fixture_paths():
        picture = samples.read(path)
        result[path.relative_to(FIXTURES).as_posix()] = {
            channels + ("" if counts == "visible" else ":counts=all"): equalization.equalize(picture, channels, counts).digest()
            for counts in (("visible",) if picture.counted.all() else ("visible", "all"))
            for channels in ("each", "luma")
        }
    return json.dumps(result, indent=2) + "\n"


def main() -> int:
    arguments = command.freezing(DESCRIPTION).parse_args()
    text = hashes()
    count = len(json.loads(text))
    return command.freeze(HASHES, text, count, check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
