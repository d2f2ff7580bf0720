"""What each run of the programs in Examples/ must show, computed from the fixtures without Safelight.

pypng reads pictures, ffmpeg decodes films, NumPy does the rest, in integers.
"""

import subprocess
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy

import equalization
import rendering
import samples

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

#: Real frames through ffmpeg: the dark room, larger by whole pixels, so that no scaler's rounding is in them.
LARGE = "movie=fixtures/dark-room/frame%04d.png:f=image2,scale=3840:2160:flags=neighbor"
ODD = LARGE + ",pad=3841:2161"
#: A part of them, as it is: small enough to be kept as pictures.
PART = "movie=fixtures/dark-room/frame%04d.png:f=image2,crop=160:90:240:120"
#: The film's frame that filters are tried with, 48 by 32.
FRAME = "fixtures/golden/filters/passthrough.png"
SLIDER = [0, 0.25, 0.5, 1, 1.5]


@dataclass
class Run:
    """A program, its arguments, and the pictures that must come of it, of 8 bits."""

    program: str
    arguments: list[str]
    pictures: list[numpy.ndarray] = field(default_factory=list)
    times: list[Fraction | None] = field(default_factory=list)
    tolerance: int = 0
    #: How many of its first pictures are kept as goldens; of one run of each program.
    kept: int = 0

    def keeping(self, count: int) -> "Run":
        return replace(self, kept=count)

    @property
    def names(self) -> list[str]:
        """The files of the pictures that are kept."""
        return [f"{self.program}.{index + 1:04}.png" for index in range(self.kept)]


def all_runs() -> list[Run]:
    return [
        _histogram_camera(), _histogram_frame().keeping(1), _passthrough(LARGE, 2), _passthrough(ODD, 1),
        _passthrough(ODD, 1, "--slow"), _passthrough(PART, 1).keeping(1),
        _saturation("fixtures/dark-room/frame0012.png"), _saturation("fixtures/made/rgba8-noise.png"),
        _saturation(FRAME).keeping(len(SLIDER)), _texture_view().keeping(1),
        *[_camera(f"fixtures/films/{name}-full.mkv", name) for name in ("bt601", "bt709", "bt2020")],
        _camera("fixtures/films/dark-room.mkv", "bt709").keeping(1), _compositor(), _compositor("--clean"),
        _compositor("--input", PART).keeping(2),
    ]


def digest(picture: numpy.ndarray) -> str:
    return samples.Picture(picture.astype(numpy.uint64), 8, 8, False).digest()


def _dark(number: int) -> samples.Picture:
    return samples.read(FIXTURES / f"dark-room/frame{number:04}.png")


def _part(number: int) -> samples.Picture:
    return (whole := _dark(number)).with_samples(whole.samples[120:210, 240:400])


def _sequence_times(count: int) -> list[Fraction]:
    return [Fraction(1001 * index, 24000) for index in range(count)]


def _histogram_camera() -> Run:
    pictures = [rendering.four_channels(equalization.equalize(_dark(number))) for number in range(1, 25)]
    return Run("HistogramCamera", [], pictures, _sequence_times(24))


def _histogram_frame() -> Run:
    frame = samples.read(FIXTURES.parent / FRAME)
    pictures = [rendering.four_channels(equalization.equalize(frame))]
    return Run("HistogramCamera", ["--input", FRAME], pictures, _sequence_times(1))


def _passthrough(graph: str, count: int, *options: str) -> Run:
    pictures = []
    for number in range(1, count + 1):
        if graph == PART:
            frame = rendering.four_channels(_part(number))
        else:
            frame = rendering.four_channels(_dark(number)).repeat(6, axis=0).repeat(6, axis=1)
        if graph == ODD:
            black = numpy.zeros((2161, 3841, 4), dtype=numpy.int64)
            black[:, :, 3] = 255
            black[:2160, :3840] = frame
            frame = black
        pictures.append(rendering.upright(frame, 6))
    times = [Fraction(index, 25) for index in range(count)]
    return Run("PassthroughCamera", ["--input", graph, "--frames", str(count), *options], pictures, times)


def _saturation(path: str) -> Run:
    picture = samples.read(FIXTURES.parent / path)
    pixels = rendering.four_channels(picture)
    colors = pixels[:, :, :3]
    grey = (colors @ numpy.array(equalization.LUMA_WEIGHTS) + 32768) >> 16
    pictures = []
    for value in SLIDER:
        result = pixels.copy()
        change = (colors - grey[:, :, None]) * int(value * 4096)
        result[:, :, :3] = numpy.clip((grey[:, :, None] * 4096 + change + 2048) >> 12, 0, 255)
        # A picture without alpha gets none.
        pictures.append(result[:, :, : picture.channels])
    arguments = ["--input", path, "--values", *[str(value) for value in SLIDER]]
    return Run("SaturationSlider", arguments, pictures, [None] * len(SLIDER))


def _texture_view() -> Run:
    picture = rendering.scaled(rendering.four_channels(_dark(1)), 240, 135, "linear", 255)
    return Run("TextureView", ["--frames", "1"], [picture], _sequence_times(1), tolerance=1)


def _camera(name: str, matrix: str) -> Run:
    width, height, times = _track(name)
    # Three planes, as they are stored: on the way to two, ffmpeg would compress the range.
    planes = _decoded(name, "yuv420p", len(times))
    chroma_width, chroma_height = (width + 1) // 2, (height + 1) // 2
    pictures = []
    for frame in planes.reshape(len(times), -1):
        luma = frame[: width * height].reshape(height, width)
        chroma = frame[width * height :].reshape(2, chroma_height, chroma_width) - 128
        blue, red = chroma.repeat(2, axis=1).repeat(2, axis=2)[:, :height, :width]
        pictures.append(_colors(luma, blue, red, matrix))
    return Run("YCbCrCamera", ["--input", name], pictures, times)


def _colors(luma: numpy.ndarray, blue: numpy.ndarray, red: numpy.ndarray, matrix: str) -> numpy.ndarray:
    """ITU-T H.273 equations 38 to 40 with full range, factors in 1/65536 and halves upward."""
    kr, kb = {
        "bt601": (Fraction(299, 1000), Fraction(114, 1000)), "bt709": (Fraction(2126, 10000), Fraction(722, 10000)),
        "bt2020": (Fraction(2627, 10000), Fraction(593, 10000)),
    }[matrix]
    kg = 1 - kr - kb
    whole = [
        round(65536 * factor)
        for factor in (2 * (1 - kr), 2 * kb * (1 - kb) / kg, 2 * kr * (1 - kr) / kg, 2 * (1 - kb))
    ]
    sums = [whole[0] * red, -whole[1] * blue - whole[2] * red, whole[3] * blue]
    channels = [numpy.clip((65536 * luma + change + 32768) >> 16, 0, 255) for change in sums]
    return numpy.stack([*channels, numpy.full_like(luma, 255)], axis=2)


def _compositor(*options: str) -> Run:
    count = 2 if PART in options else 6
    width, height, other_times = _track("fixtures/films/orientation-6.mov")
    others = _decoded("fixtures/films/orientation-6.mov", "rgba", len(other_times)).reshape(-1, height, width, 4)
    others[:, :, :, 3] = 255
    moon = rendering.four_channels(samples.read(FIXTURES / "moon/moon.png"))
    times = [Fraction(index, 25) for index in range(count)] if PART in options else _sequence_times(count)
    pictures = []
    for number, time in enumerate(times, start=1):
        movie = _part(number) if PART in options else _dark(number)
        if "--clean" not in options:
            movie = equalization.equalize(movie)
        columns, rows = movie.samples.shape[1], movie.samples.shape[0] * 4 // 3
        result = numpy.zeros((rows, columns, 4), dtype=numpy.int64)
        result[:, :, 3] = 255
        layers = [(rendering.four_channels(movie), [0, rows // 8, columns, rows * 3 // 4], 1, "linear")]
        begun = [index for index, begin in enumerate(other_times) if begin <= time]
        if begun:
            edge = columns // 8
            layers.append((others[begun[-1]], [edge, 20, edge, edge * 3 // 2], 6, "linear"))
        edge = rows // 4
        layers.append((moon, [columns - edge - 20, rows - edge - 20, edge, edge], 1, "area"))
        for source, bounds, orientation, scaler in layers:
            rendering.paint(
                result, source, 255, bounds=bounds, orientation=orientation, filter=scaler, blend="copy"
            )
        pictures.append(result)
    return Run("MovieCompositor", ["--frames", str(count), *options], pictures, times)


def _track(name: str) -> tuple[int, int, list[Fraction]]:
    """Columns, rows and times as ffprobe lists them."""
    entries = "stream=width,height:frame=pts:stream=time_base"
    command = ["ffprobe", "-v", "error", "-select_streams", "V:0", "-show_entries", entries, "-of", "flat", "-i", name]
    lines = subprocess.run(command, cwd=FIXTURES.parent, check=True, capture_output=True, text=True).stdout.splitlines()
    values = [line.split("=", 1) for line in lines]
    stream = {key.rsplit(".", 1)[1]: value.strip('"') for key, value in values if key.startswith("streams.")}
    tick = Fraction(stream["time_base"])
    times = [int(value.strip('"')) * tick for key, value in values if key.endswith(".pts")]
    return int(stream["width"]), int(stream["height"]), times


def _decoded(name: str, pixels: str, count: int) -> numpy.ndarray:
    """The samples of the first frames as they are stored, not turned."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", name, "-frames:v", str(count)]
    command += ["-fps_mode", "passthrough", "-pix_fmt", pixels, "-f", "rawvideo", "-"]
    output = subprocess.run(command, cwd=FIXTURES.parent, check=True, capture_output=True).stdout
    return numpy.frombuffer(output, dtype=numpy.uint8).astype(numpy.int64)
