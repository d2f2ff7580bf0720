"""What ffmpeg writes and reads: films of given bytes, and the pictures of a film by NumPy."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy

import pixels

sys.path.insert(0, str(Path(__file__).parent.parent / "oracles"))
import ycbcr  # noqa: E402

QUIET = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
MATRICES = {"bt709": "bt709", "smpte170m": "bt601", "bt470bg": "bt601", "bt2020nc": "bt2020"}
SITINGS = {"center": "center", "topleft": "topLeft", "left": "left"}
# Sound with a picture for its cover, playlists, and stills, whose encoders are tried one by one.
NO_FILMS = ("aiff", "flac", "mp3", "dash", "hds", "hls", "ico", "image2", "webp")
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


def encoders() -> list[str]:
    """The encoders of pictures that need no special hardware."""
    lines = run(["ffmpeg", "-v", "error", "-encoders"]).stdout.decode().splitlines()
    found = [line.split()[1] for line in lines if line.startswith(" V") and " = " not in line]
    return [name for name in found if not name.endswith(("_nvenc", "_omx", "_qsv", "_v4l2m2m", "_vaapi"))]


def encoder_pixels(encoder: str) -> list[str]:
    """The pixel formats that an encoder takes; empty if it does not say."""
    return _help(f"encoder={encoder}", "Supported pixel formats:")


def containers() -> dict[str, str]:
    """The muxers of films, each with the extension of its files."""
    lines = run(["ffmpeg", "-v", "error", "-muxers"]).stdout.decode().splitlines()
    names = [line.split()[1] for line in lines if re.match(r"\s+E", line)]
    with ThreadPoolExecutor() as pool:
        found = pool.map(
            lambda name: (_help(f"muxer={name}", "Default video codec:"), _help(f"muxer={name}", "Common extensions:")),
            names)
    return {
        name: extensions[0].split(",")[0].rstrip(".")
        for name, (codec, extensions) in zip(names, found) if codec and extensions and name not in NO_FILMS
    }


def _help(subject: str, key: str) -> list[str]:
    text = run(["ffmpeg", "-v", "error", "-h", subject]).stdout.decode()
    found = [line for line in text.splitlines() if key in line]
    return found[0].split(":")[1].split() if found else []


def is_read(path: Path) -> bool:
    """Whether ffmpeg reads a film without an error."""
    done = run(["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", path, "-map", "0:V:0", "-f", "null", "-"])
    return done.returncode == 0


class Track:
    """The first video track of a file, as ffprobe describes it."""

    def __init__(self, path: Path):
        listing = run(
            ["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_format", "-show_frames"]
            + ["-read_intervals", "%+#1", "-select_streams", "v:0", path])
        described = json.loads(listing.stdout) if listing.returncode == 0 else {}
        stream = (described.get("streams") or [{}])[0]
        frame = (described.get("frames") or [{}])[0]
        container = described.get("format", {})
        known = lambda key: next(
            (each[key] for each in (frame, stream) if each.get(key) not in (None, "unknown", "unspecified")), None)
        self.path, self.pixels = path, stream.get("pix_fmt", "nothing")
        self.size = stream.get("width", 0), stream.get("height", 0)
        self.matrix = MATRICES.get(known("color_space"), known("color_space") or "bt601")
        self.is_full = known("color_range") == "pc" or self.pixels.startswith("yuvj")
        kind = container.get("format_name", "")
        is_still = kind.endswith("_pipe") or kind == "image2" \
            or container.get("tags", {}).get("major_brand") in STILL_BRANDS
        self.siting = SITINGS.get(known("chroma_location"), "center" if is_still else "left")

    @property
    def is_indexed(self) -> bool:
        """Whether its pixels are colors of a table, so that ffmpeg computes nothing to make colors of them."""
        return self.pixels == "pal8"

    @property
    def plain(self) -> tuple[str, int] | None:
        """The pixel format in which ffmpeg gives the samples as they are, and the bytes of a frame; None for pixels
        that only ffmpeg knows how to convert."""
        width, height = self.size
        if stored := pixels.layout(self.pixels):
            return self.pixels, pixels.byte_count(stored, width, height)
        if self.pixels in ("monow", "monob"):
            return self.pixels, (width + 7) // 8 * height
        if self.is_indexed:
            return "rgba", width * height * 4
        chroma, bits = ycbcr_kind(self.pixels)
        if chroma is None or self.matrix not in ycbcr.MATRICES:
            return None
        name = f"yuv{chroma}p" if bits == 8 else f"yuv{chroma}p{bits}le"
        samples = sum(rows * columns for rows, columns in self._planes(chroma))
        name = name.replace("yuv", "yuvj") if self.pixels.startswith("yuvj") else name
        return name, samples * (1 if bits == 8 else 2)

    def frames(self, name: str, byte_count: int) -> list[bytes]:
        """The bytes of each frame as `name`."""
        made = run(QUIET + ["-noautorotate", "-i", self.path, "-map", "0:V:0"] + _raw(name) + ["-"]).stdout
        return [made[start:start + byte_count] for start in range(0, len(made), byte_count)]

    def pictures(self, frames: list[bytes]) -> tuple[list[numpy.ndarray], int]:
        """Red, green, blue and alpha, or gray, of 8 or 16 bits, of frames in ``plain`` pixels, and the bits."""
        width, height = self.size
        if stored := pixels.layout(self.pixels):
            bits = 8 if max(pixels.bits(stored)) <= 8 else 16
            found = [pixels.picture(stored, data, width, height) for data in frames]
            return [pixels.widened(picture, pixels.bits(stored), bits) for picture in found], bits
        if self.pixels in ("monow", "monob"):
            rows = [numpy.frombuffer(each, "u1").reshape(height, -1) for each in frames]
            white = 255 if self.pixels == "monob" else 0
            gray = [numpy.where(numpy.unpackbits(each, axis=1)[:, :width] > 0, white, 255 - white) for each in rows]
            return [each[..., None].astype(int) for each in gray], 8
        if self.is_indexed:
            return [numpy.frombuffer(each, "u1").reshape(height, width, 4).astype(int) for each in frames], 8
        chroma, bits = ycbcr_kind(self.pixels)
        found = []
        for data in frames:
            samples, planes, start = numpy.frombuffer(data, "u1" if bits == 8 else "<u2"), [], 0
            for rows, columns in self._planes(chroma):
                planes.append(samples[start:start + rows * columns].reshape(rows, columns).astype(int))
                start += rows * columns
            found.append(ycbcr.exact_picture(planes, self.matrix, self.is_full, chroma, self.siting, bits))
        return found, 8 if bits == 8 else 16

    def _planes(self, chroma: str) -> list[tuple[int, int]]:
        width, height = self.size
        step = ycbcr.STEPS[chroma]
        return [(height, width)] + 2 * [(-(-height // step[1]), -(-width // step[0]))]


def _raw(name: str) -> list:
    return ["-fps_mode", "passthrough", "-pix_fmt", name, "-f", "rawvideo"]


def frames_of_all(tracks: list[Track], folder: Path) -> list[list[bytes]]:
    """The frames of each track in its plain pixels, all by one run of ffmpeg where that reads them."""
    command = QUIET + [word for track in tracks for word in ("-noautorotate", "-i", track.path)]
    for index, track in enumerate(tracks):
        command += ["-map", f"{index}:V:0"] + _raw(track.plain[0]) + [folder / f"{index}.frames"]
    if len(tracks) < 2 or run(command).returncode:
        return [track.frames(*track.plain) for track in tracks]
    made = [(folder / f"{index}.frames").read_bytes() for index in range(len(tracks))]
    return [
        [data[start:start + count] for start in range(0, len(data), count)]
        for data, count in zip(made, (track.plain[1] for track in tracks))
    ]


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
