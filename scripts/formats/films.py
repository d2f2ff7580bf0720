"""What ffmpeg writes and reads: films of given bytes, and the pictures of a film by NumPy."""

import json
import subprocess
import sys
from pathlib import Path

import numpy

import pixels

sys.path.insert(0, str(Path(__file__).parent.parent / "oracles"))
import ycbcr  # noqa: E402

QUIET = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
MATRICES = {"bt709": "bt709", "smpte170m": "bt601", "bt470bg": "bt601", "bt2020nc": "bt2020"}
SITINGS = {"center": "center", "topleft": "topLeft", "left": "left"}
STILL_BRANDS = ("avif", "mif1", "heic", "heix")


def run(command: list) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=120)


def names() -> dict[str, int]:
    """ffmpeg's pixel formats in memory, with the bits of the widest component."""
    listing = run(["ffprobe", "-v", "error", "-of", "json", "-show_pixel_formats"]).stdout
    formats = json.loads(listing)["pixel_formats"]
    return {
        each["name"]: max(component["bit_depth"] for component in each["components"])
        for each in formats if not each["flags"]["hwaccel"] and each["nb_components"]
    }


def encoders() -> set[str]:
    lines = run(["ffmpeg", "-v", "error", "-encoders"]).stdout.decode().splitlines()
    return {line.split()[1] for line in lines if line.startswith(" V")}


def encoder_pixels(encoder: str) -> list[str]:
    """The pixel formats that an encoder takes."""
    text = run(["ffmpeg", "-v", "error", "-h", f"encoder={encoder}"]).stdout.decode()
    found = [line for line in text.splitlines() if "Supported pixel formats:" in line]
    return found[0].split(":")[1].split() if found else []


class Unread(Exception):
    """ffmpeg finds no film in a file."""


class Track:
    """The first video track of a file, as ffprobe describes it."""

    def __init__(self, path: Path):
        listing = run(
            ["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_format", "-show_frames"]
            + ["-read_intervals", "%+#1", "-select_streams", "v:0", path]).stdout
        described = json.loads(listing or "{}")
        stream = (described.get("streams") or [{}])[0]
        frame = (described.get("frames") or [{}])[0]
        container = described.get("format", {})
        if "pix_fmt" not in stream:
            raise Unread(path.name)
        known = lambda key: next(
            (each[key] for each in (frame, stream) if each.get(key) not in (None, "unknown", "unspecified")), None)
        self.path, self.pixels = path, stream["pix_fmt"]
        self.size = stream["width"], stream["height"]
        self.matrix = MATRICES.get(known("color_space"), known("color_space") or "bt601")
        self.is_full = known("color_range") == "pc" or self.pixels.startswith("yuvj")
        kind = container.get("format_name", "")
        is_still = kind.endswith("_pipe") or kind == "image2" \
            or container.get("tags", {}).get("major_brand") in STILL_BRANDS
        self.siting = SITINGS.get(known("chroma_location"), "center" if is_still else "left")

    def frames(self, name: str, byte_count: int) -> list[bytes]:
        """The bytes of each frame as `name`."""
        made = run(
            QUIET + ["-noautorotate", "-i", self.path, "-map", "0:V:0", "-fps_mode", "passthrough"]
            + ["-pix_fmt", name, "-f", "rawvideo", "-"]).stdout
        return [made[start:start + byte_count] for start in range(0, len(made), byte_count)]

    def pictures(self) -> tuple[list[numpy.ndarray], int] | None:
        """Red, green, blue and alpha, or gray, of 8 or 16 bits, and the bits; None for pixels that only ffmpeg knows
        how to convert."""
        width, height = self.size
        stored = pixels.layout(self.pixels)
        if stored:
            count = pixels.byte_count(stored, width, height)
            bits = 8 if max(pixels.bits(stored)) <= 8 else 16
            pictures = [pixels.picture(stored, data, width, height) for data in self.frames(self.pixels, count)]
            return [pixels.widened(picture, pixels.bits(stored), bits) for picture in pictures], bits
        if self.pixels in ("monow", "monob"):
            row = (width + 7) // 8
            data = self.frames(self.pixels, row * height)
            bits = [numpy.frombuffer(each, "u1").reshape(height, row) for each in data]
            white = 255 if self.pixels == "monob" else 0
            gray = [numpy.where(numpy.unpackbits(each, axis=1)[:, :width] > 0, white, 255 - white) for each in bits]
            return [each[..., None].astype(int) for each in gray], 8
        if self.pixels == "pal8":  # a table, so ffmpeg computes nothing
            data = self.frames("rgba", width * height * 4)
            return [numpy.frombuffer(each, "u1").reshape(height, width, 4).astype(int) for each in data], 8
        return self._from_ycbcr()

    def _from_ycbcr(self) -> tuple[list[numpy.ndarray], int] | None:
        chroma, bits = ycbcr_kind(self.pixels)
        if chroma is None or self.matrix not in ycbcr.MATRICES:
            return None
        width, height = self.size
        step = ycbcr.STEPS[chroma]
        sizes = [(height, width)] + 2 * [(-(-height // step[1]), -(-width // step[0]))]
        kind = "u1" if bits == 8 else "<u2"
        name = f"yuv{chroma}p" if bits == 8 else f"yuv{chroma}p{bits}le"
        byte_count = sum(rows * columns for rows, columns in sizes) * numpy.dtype(kind).itemsize
        target = 8 if bits == 8 else 16
        pictures = []
        for data in self.frames(name.replace("yuv", "yuvj") if self.pixels.startswith("yuvj") else name, byte_count):
            samples, planes, start = numpy.frombuffer(data, kind), [], 0
            for rows, columns in sizes:
                planes.append(samples[start:start + rows * columns].reshape(rows, columns).astype(int))
                start += rows * columns
            pictures.append(ycbcr.picture(planes, target, self.matrix, self.is_full, chroma, self.siting, bits))
        return pictures, target


def ycbcr_kind(name: str) -> tuple[str | None, int]:
    """The shared chroma and the bits of luma and chroma whose planes Safelight reads as they are."""
    for chroma in ycbcr.STEPS:
        for prefix in ("yuv", "yuvj"):
            if name == f"{prefix}{chroma}p":
                return chroma, 8
        for bits in (10, 12, 16):
            if name == f"yuv{chroma}p{bits}le":
                return chroma, bits
    packed = {"nv12": ("420", 8), "nv21": ("420", 8), "yuyv422": ("422", 8), "uyvy422": ("422", 8), "nv24": ("444", 8)}
    return packed.get(name, (None, 0))


def write_raw(folder: Path, name: str, films: list[tuple[str, tuple[int, int], bytes]]) -> bool:
    """Films of the bytes as they are, in NUT; false if NUT holds no such pixels."""
    command = list(QUIET)
    for stem, (width, height), data in films:
        raw = folder / f"{stem}.raw"
        raw.write_bytes(data)
        command += ["-f", "rawvideo", "-pix_fmt", name, "-s", f"{width}x{height}", "-i", raw]
    for index, (stem, _, _) in enumerate(films):
        command += ["-map", index, "-c", "copy", "-f", "nut", folder / f"{stem}.nut"]
    return run(command).returncode == 0


def planes(size: tuple[int, int], chroma: str, bits: int, made) -> bytes:
    """The bytes of three planes, each `made` for its size."""
    width, height = size
    step = ycbcr.STEPS[chroma]
    shared = -(-width // step[0]), -(-height // step[1])
    kind = "u1" if bits == 8 else "<u2"
    return b"".join(made(each).astype(kind).tobytes() for each in (size, shared, shared))
