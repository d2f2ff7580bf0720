"""Sets of 1080p frames of many kinds, each written by several programs; all are made here, or of free pictures."""

import dataclasses
import pathlib
import subprocess
from collections.abc import Callable, Iterator

import cv2
import numpy
import real_frames

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = SIZE = real_frames.SIZE
COUNT = 6


@dataclasses.dataclass(frozen=True)
class FrameSet:
    """Frames of one kind, in OpenCV's order of channels."""

    name: str
    frames: Callable[[], Iterator[numpy.ndarray]]
    # OpenCV equalizes neither alpha nor 16 bits, so all programs only copy such pictures.
    is_copied: bool = False


def ffmpeg(*arguments: str) -> bytes:
    return subprocess.run(["ffmpeg", "-v", "error", *arguments], check=True, capture_output=True).stdout


def frames_of(raw: bytes) -> Iterator[numpy.ndarray]:
    yield from numpy.frombuffer(raw, numpy.uint8).reshape(-1, HEIGHT, WIDTH, 3)


def film() -> Iterator[numpy.ndarray]:
    """Frames of a film, dark and with large flat places, three times as large."""
    scaled = f"scale={WIDTH}:{HEIGHT},format=bgr24"
    source = str(ROOT / "fixtures/dark-room/frame%04d.png")
    return frames_of(ffmpeg("-i", source, "-vf", scaled, "-frames:v", str(COUNT), "-f", "rawvideo", "-"))


def photographs() -> Iterator[numpy.ndarray]:
    """A camera's pan over a wall of photographs, far enough apart to differ."""
    wall = real_frames.wall(WIDTH + 80 * COUNT, HEIGHT + 40 * COUNT)
    for number in range(COUNT):
        yield numpy.ascontiguousarray(wall[40 * number :, 80 * number :][:HEIGHT, :WIDTH])


def video() -> Iterator[numpy.ndarray]:
    """The photographs as a video codec leaves them."""
    raw = b"".join(frame.tobytes() for frame in photographs())
    size = f"{WIDTH}x{HEIGHT}"
    command = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", size, "-i", "-"]
    coding = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "26", "-pix_fmt", "yuv420p", "-f", "matroska", "-"]
    coded = subprocess.run([*command, *coding], input=raw, check=True, capture_output=True).stdout
    decoding = ["ffmpeg", "-v", "error", "-i", "-", "-pix_fmt", "bgr24", "-f", "rawvideo", "-"]
    return frames_of(subprocess.run(decoding, input=coded, check=True, capture_output=True).stdout)


def drawn() -> Iterator[numpy.ndarray]:
    """Shapes with smooth edges on a gradient."""
    for number in range(COUNT):
        random = numpy.random.default_rng(number)
        ramp = numpy.linspace(0, 1, HEIGHT)[:, None, None]
        ends = random.uniform(40, 220, (2, 3))
        ground = (ends[0] * (1 - ramp) + ends[1] * ramp).repeat(WIDTH, axis=1)
        frame = numpy.ascontiguousarray(ground.astype(numpy.uint8))
        for _ in range(120):
            center = tuple(int(value) for value in random.integers(0, (WIDTH, HEIGHT)))
            color = tuple(int(value) for value in random.integers(0, 256, 3))
            axes = tuple(int(value) for value in random.integers(10, 220, 2))
            if random.random() < 0.5:
                cv2.ellipse(frame, center, axes, float(random.uniform(0, 180)), 0, 360, color, -1, cv2.LINE_AA)
            else:
                points = (numpy.array(center) + random.integers(-200, 200, (5, 2))).astype(numpy.int32)
                cv2.fillConvexPoly(frame, cv2.convexHull(points), color, cv2.LINE_AA)
        yield frame


def text() -> Iterator[numpy.ndarray]:
    """Pages of small dark letters on white."""
    words = "the quick brown fox jumps over a lazy dog and reads what is written on this page of text".split()
    for number in range(COUNT):
        random = numpy.random.default_rng(number)
        frame = numpy.full((HEIGHT, WIDTH, 3), 255, numpy.uint8)
        for line in range(30, HEIGHT, 24):
            sentence = " ".join(random.choice(words, 22))
            cv2.putText(frame, sentence, (40, line), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (40, 30, 20), 1, cv2.LINE_AA)
        yield frame


def gray() -> Iterator[numpy.ndarray]:
    return (cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in photographs())


def sixteen_bits() -> Iterator[numpy.ndarray]:
    """Scaled in 16 bits, so that the lower eight are used."""
    for frame in photographs():
        yield cv2.resize(frame[: HEIGHT * 9 // 10, : WIDTH * 9 // 10].astype(numpy.uint16) * 257, SIZE)


def with_alpha() -> Iterator[numpy.ndarray]:
    """Photographs that fade out toward the edges."""
    y, x = numpy.ogrid[-1 : 1 : HEIGHT * 1j, -1 : 1 : WIDTH * 1j]
    alpha = (255 * numpy.clip(1.6 - numpy.hypot(x, y) * 1.4, 0, 1)).astype(numpy.uint8)
    return (numpy.dstack([frame, alpha]) for frame in photographs())


def dither() -> Iterator[numpy.ndarray]:
    """Photographs in two grays alone, by a pattern of dots; black and white would stay as they are."""
    order = numpy.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], numpy.uint8) * 16 + 8
    pattern = numpy.tile(order, (HEIGHT // 4, WIDTH // 4))
    for frame in gray():
        yield cv2.cvtColor(numpy.where(frame > pattern, 200, 40).astype(numpy.uint8), cv2.COLOR_GRAY2BGR)


SETS = [
    FrameSet("film", film),
    FrameSet("photographs", photographs),
    FrameSet("video", video),
    FrameSet("drawn", drawn),
    FrameSet("text", text),
    FrameSet("gray", gray),
    FrameSet("16-bits", sixteen_bits, is_copied=True),
    FrameSet("RGBA", with_alpha, is_copied=True),
    FrameSet("dither", dither),
]

WRITERS = ["ffmpeg", "OpenCV", "libpng", "safelight"]


def write(tool: str, writer: str, frames: list[pathlib.Path], folder: pathlib.Path) -> None:
    """Writes files of OpenCV anew as a program does by itself; GraphicsMagick stands for libpng's own choices."""
    source = frames[0].parent / "%04d.png"
    if writer == "ffmpeg":
        ffmpeg("-i", str(source), str(folder / "%04d.png"))
    elif writer == "libpng":
        for frame in frames:
            subprocess.run(["gm", "convert", str(frame), "-quality", "65", str(folder / frame.name)], check=True)
    elif writer == "safelight":
        command = [tool, "process", str(frames[0].parent), "--filter", "passthrough", "-o", str(folder)]
        subprocess.run([*command, "--progress", "none"], check=True)
    else:
        for frame in frames:
            (folder / frame.name).write_bytes(frame.read_bytes())


def make(tool: str, chosen: FrameSet, writer: str, scratch: pathlib.Path, copies: int) -> pathlib.Path:
    """A folder of `copies` of each of a set's frames, as `writer` writes them."""
    first = scratch / "first"
    folder = scratch / "in"
    for each in (first, folder):
        each.mkdir()
    frames = []
    for number, frame in enumerate(chosen.frames()):
        frames.append(first / f"{number + 1:04d}.png")
        if not cv2.imwrite(str(frames[-1]), frame):
            raise OSError(f"{frames[-1]}: not written")
    write(tool, writer, frames, folder)
    for number in range(COUNT, copies * COUNT):
        original = folder / f"{number % COUNT + 1:04d}.png"
        (folder / f"{number + 1:04d}.png").write_bytes(original.read_bytes())
    return folder
