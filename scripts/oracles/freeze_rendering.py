"""Writes what rendered pictures must be, computed outside Safelight."""

import json
import sys
from itertools import cycle
from pathlib import Path

import command
import rendering
import samples

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CASES = FIXTURES / "golden" / "rendering" / "cases.json"

DESCRIPTION = """\
Writes fixtures/golden/rendering/cases.json: pictures of the fixtures rendered into others, turned, scaled and
blended, and the hash of the pixels that must come of it. It is computed by NumPy from what pypng reads, never
by Safelight, so it can tell on Safelight.

The hash is that of freeze-equalization. The result has the channels of the destination."""

#: Bounds in a destination of 53 × 37: of the source's size (also turned), enlarged, made smaller, cut off.
BOUNDS = [
    [0, 0, 53, 37], [3, -2, 37, 53], [1, 2, 50, 30], [20, 5, 17, 11], [-30, -20, 120, 97], [40, 30, 26, 18],
    [-7, 9, 13, 60], [0, 36, 53, 1],
]


def cases() -> list[dict]:
    """Every case without its hash."""
    result = []
    orientations = cycle(range(1, 9))
    for bits in (8, 16):
        for kind in ("rgba", "rgb", "grey", "greya"):
            for filter in ("nearest", "linear", "area"):
                for bounds in BOUNDS:
                    blend = "sourceOver" if kind.endswith("a") and len(result) % 2 else "copy"
                    source = layer(f"made/{kind}{bits}-noise.png", bounds, next(orientations), filter, blend)
                    result.append({"destination": f"made/rgba{bits}-noise.png", "renders": [source]})
                next(orientations)  # so that every bounds meets every orientation
        for filter in ("nearest", "linear", "area"):
            source = layer(f"made/grey{bits}-noise.png", [-5, 4, 70, 21], next(orientations), filter, "copy")
            result.append({"destination": f"made/grey{bits}-noise.png", "renders": [source]})
    return result + [
        {
            "destination": "dark-room/frame0001.png",
            "renders": [
                layer("dark-room/frame0012.png", [0, 0, 640, 360], 3, "linear", "copy"),
                layer("haze/haze.png", [400, -30, 200, 200], 6, "area", "sourceOver"),
                layer("moon/moon.png", [-100, 200, 333, 222], 8, "linear", "sourceOver"),
                layer("made/rgba8-noise.png", [100, 80, 444, 250], 5, "linear", "sourceOver"),
                layer("made/rgba8-ramp.png", [50, 20, 64, 64], 1, "linear", "sourceOver"),
            ],
        },
        {
            "destination": "made/rgba16-every-alpha.png",
            "renders": [
                layer("made/rgba16-ramp.png", [10, 20, 211, 97], 7, "linear", "sourceOver"),
                layer("made/grey16-noise.png", [-10, 200, 100, 40], 2, "nearest", "sourceOver"),
                layer("made/rgba16-every-alpha.png", [30, 40, 201, 203], 4, "area", "sourceOver"),
            ],
        },
        {
            "destination": "made/rgba8-every-alpha.png",
            "renders": [layer("made/rgba8-every-alpha.png", [0, 0, 16, 16], 6, "linear", "sourceOver")],
        },
    ]


def layer(source: str, bounds: list[int], orientation: int, filter: str, blend: str) -> dict:
    return {"source": source, "bounds": bounds, "orientation": orientation, "filter": filter, "blend": blend}


def digest(case: dict) -> str:
    """The hash of what the renders of a case leave in its destination."""
    destination = samples.read(FIXTURES / case["destination"])
    pixels = rendering.four_channels(destination)
    for render in case["renders"]:
        arguments = dict(render)
        source = samples.read(FIXTURES / arguments.pop("source"))
        assert source.bits == destination.bits
        rendering.paint(pixels, rendering.four_channels(source), destination.maximum, **arguments)
    return rendering.in_channels(pixels, destination).digest()


def text() -> str:
    """One case a line."""
    lines = [json.dumps(case | {"hash": digest(case)}) for case in cases()]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main() -> int:
    parser = command.freezing(DESCRIPTION)
    parser.add_argument("--self-test", action="store_true", help="compare these rules with what Pillow does")
    arguments = parser.parse_args()
    if arguments.self_test:
        import rendering_self_test

        return rendering_self_test.run()
    frozen = text()
    return command.freeze(CASES, frozen, len(json.loads(frozen)), check=arguments.check, what="renderings")


if __name__ == "__main__":
    sys.exit(main())
