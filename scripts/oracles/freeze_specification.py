"""Writes the pixel hashes that the fixtures must have when they are matched to others, computed outside Safelight."""

import json
import sys

import command
import samples
import specification
from freeze_equalization import FIXTURES, fixture_paths
from samples import Picture

HASHES = FIXTURES / "golden" / "histogram" / "specification.json"

#: What is matched: a frame in colour, a grey picture of the other depth, and colours with some of alpha 0.
REFERENCES = ["dark-room/frame0024.png", "made/grey16-tail.png", "made/rgba8-every-alpha.png"]

DESCRIPTION = """\
Writes fixtures/golden/histogram/specification.json: for pictures of the fixtures and each of three references,
the hash of the pixels after `match=reference=…`, for the channels `each` and `luma`, and once more with
counts=all where the picture has pixels of alpha 0. It is computed by NumPy
from what pypng reads, never by Safelight. The hash is that of freeze-equalization.

With --measure it writes nothing, and tells how far the rule lies from scikit-image's match_histograms and from
libvips' hist_match, where Python has them."""


def pictures() -> dict[str, Picture]:
    """The pictures that are matched; of the film one frame."""
    names = [path.relative_to(FIXTURES).as_posix() for path in fixture_paths()]
    chosen = [name for name in names if not name.startswith("dark-room/") or name.endswith("0012.png")]
    return {name: samples.read(FIXTURES / name) for name in chosen}


def hashes() -> str:
    """The text of specification.json."""
    result = {}
    references = {name: samples.read(FIXTURES / name) for name in REFERENCES}
    for name, picture in pictures().items():
        result[name] = {}
        for reference, wanted in references.items():
            # A grey picture has no channels for those of a colour reference.
            modes = ("luma",) if picture.color_channels == 1 and wanted.color_channels == 3 else ("each", "luma")
            result[name][reference] = {
                channels + ("" if which == "visible" else ":counts=all"): specification.match(picture, wanted, channels, which).digest()
                for which in (("visible",) if picture.counted.all() else ("visible", "all"))
                for channels in modes
            }
    return json.dumps(result, indent=2) + "\n"


def measure() -> int:
    import numpy
    import pyvips
    from skimage.exposure import match_histograms

    def libvips(values: numpy.ndarray, wanted: numpy.ndarray) -> numpy.ndarray:
        def image(of: numpy.ndarray) -> pyvips.Image:
            return pyvips.Image.new_from_memory(of.astype(numpy.uint8).tobytes(), of.shape[1], of.shape[0], 1, "uchar")

        histograms = [image(of).hist_find().hist_cum().hist_norm() for of in (values, wanted)]
        made = image(values).maplut(histograms[0].hist_match(histograms[1]))
        return numpy.frombuffer(made.cast("uchar").write_to_memory(), numpy.uint8).reshape(values.shape)

    programs = {
        "scikit-image": lambda values, wanted: match_histograms(values.astype(numpy.float64), wanted.astype(numpy.float64)),
        "libvips": libvips,
    }
    reference = samples.read(FIXTURES / REFERENCES[0])
    for program, run in programs.items():
        greatest, total, count, equal = 0.0, 0.0, 0, 0
        for name, picture in pictures().items():
            if picture.bits != 8 or picture.color_channels != 3 or picture.samples.size < 3000:
                continue
            ours = specification.match(picture, reference).samples
            for channel in range(3):
                theirs = run(picture.samples[:, :, channel], reference.samples[:, :, channel])
                difference = numpy.abs(theirs.astype(numpy.float64) - ours[:, :, channel])
                greatest = max(greatest, float(difference.max()))
                total += float(difference.sum())
                equal += int((difference < 0.5).sum())
                count += difference.size
        print(f"{program}: mean {total / count:.3f} of 255, greatest {greatest:.1f}, within a half {100 * equal / count:.1f} %")
    return 0


def main() -> int:
    parser = command.freezing(DESCRIPTION)
    parser.add_argument("--measure", action="store_true", help="compare with other programs")
    arguments = parser.parse_args()
    if arguments.measure:
        return measure()
    text = hashes()
    return command.freeze(HASHES, text, len(json.loads(text)), check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
