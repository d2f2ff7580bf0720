"""Compares the pictures of every pixel format, container and still format that ffmpeg writes with their samples."""

import argparse
import os
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy

import exceptions
import films
import pixels

sys.path.insert(0, str(Path(__file__).parent.parent / "oracles"))
import samples  # noqa: E402

DESCRIPTION = """\
Makes white, black, a ramp and noise at seven sizes, most of them tiny, as raw samples of every RGB and gray pixel
format, as films of every container, as stills of every encoder and pixel format, all by ffmpeg, and compares what
safelight reads from them with the stored samples, by NumPy; and what safelight writes with --lossless to every film
with what ffmpeg reads back. What differs stands in scripts/formats/exceptions.py with its reason, else the script
fails. --quick leaves out sizes and pictures where many formats share the code."""

SIZES = [(1, 1), (4, 1), (1, 4), (2, 2), (3, 3), (17, 5), (64, 48)]
KINDS = ("white", "black", "ramp", "noise")
STILLS = {  # file extension and encoders
    "bmp": ["bmp"], "png": ["png"], "apng": ["apng"], "gif": ["gif"], "jpg": ["mjpeg", "ljpeg"], "jls": ["jpegls"],
    "jp2": ["jpeg2000", "libopenjpeg"], "jxl": ["libjxl"], "webp": ["libwebp"], "avif": ["libaom-av1"],
    "tif": ["tiff"], "tga": ["targa"], "pcx": ["pcx"], "sgi": ["sgi"], "pam": ["pam"], "ppm": ["ppm"], "pgm": ["pgm"],
    "pbm": ["pbm"], "pgmyuv": ["pgmyuv"], "pfm": ["pfm"], "phm": ["phm"], "dpx": ["dpx"], "exr": ["exr"],
    "qoi": ["qoi"], "xbm": ["xbm"], "xwd": ["xwd"], "sun": ["sunrast"], "fits": ["fits"], "pix": ["alias_pix"],
    "vbn": ["vbn"], "ico": ["bmp", "png"],
}
CONTAINERS = {  # muxer and encoders: the usual one, and those of red, green, blue and gray
    "avi": ["rawvideo", "huffyuv", "ffvhuff", "utvideo", "magicyuv", "zlib", "mjpeg"],
    "mov": ["rawvideo", "qtrle", "png", "r210", "v410", "v210", "prores_ks", "dnxhd", "cfhd"],
    "nut": ["ffv1", "rawvideo"], "matroska": ["ffv1", "rawvideo", "libx264rgb", "png"], "mp4": ["libx264", "libx265"],
    "webm": ["libvpx", "libvpx-vp9"], "mpegts": ["mpeg2video", "libx264"], "gif": ["gif"], "apng": ["apng"],
    "ogg": ["libtheora"], "flv": ["flv"], "asf": ["wmv2", "rawvideo"], "mxf": ["mpeg2video", "jpeg2000"],
    "mpeg": ["mpeg1video"], "dv": ["dvvideo"], "yuv4mpegpipe": ["wrapped_avframe"], "ivf": ["libvpx-vp9"],
}
OUTPUTS = ("mkv", "nut", "avi", "mp4", "m4v", "mov", "ts", "webm")
GIVEN = ["gray", "gray16be", "rgb24", "rgba", "rgb48be", "rgba64be"] + [
    f"yuv{chroma}p{bits}" for chroma in ("420", "422", "444") for bits in ("", "10le", "12le", "16le")]


def made(bits: tuple[int, ...], size: tuple[int, int], kind: str) -> numpy.ndarray:
    """A picture of (height, width, components)."""
    width, height = size
    largest = numpy.array([(1 << count) - 1 for count in bits])
    if kind in ("white", "black"):
        return numpy.broadcast_to(largest * (kind == "white"), (height, width, len(bits)))
    if kind == "ramp":
        place = numpy.arange(width * height).reshape(height, width, 1) + numpy.arange(len(bits)) * 7
        return place * largest // max(1, width * height + 20)
    seed = zlib.crc32(f"{bits} {size}".encode())
    return numpy.random.default_rng(seed).integers(0, largest + 1, (height, width, len(bits)))


class Check:
    """What was compared, by name: None where it is the same, else what differs."""

    def __init__(self, tool: str, is_quick: bool, lists: bool):
        self.tool, self.is_quick, self.lists = tool, is_quick, lists
        self.compared, self.explained, self.unexplained = 0, 0, 0

    def record(self, name: str, what: str | None):
        """Counts a comparison, and prints what differs."""
        self.compared += 1
        why = what and exceptions.reason(name, what)
        self.explained += bool(why)
        self.unexplained += bool(what and not why)
        if what and (self.lists or not why):
            print(f"{name}: {what}" + (f" ({why})" if why else ""), flush=True)

    def safelight(self, arguments: list) -> str | None:
        """Runs the tool; returns its error."""
        done = films.run([self.tool, "process", *arguments, "--device", "cpu", "--progress", "none", "--jobs", 1])
        if done.returncode == 0:
            return None
        return done.stderr.decode().strip().splitlines()[-1].replace(str(arguments[0]), "INPUT")

    def read(self, name: str, folder: Path, paths: list[Path]):
        """Compares the pictures that the tool makes of films with those that NumPy does."""
        out = folder / "out"
        for path in paths:
            self.record(f"in {name} {path.stem}", self._difference(path, out))

    def _difference(self, path: Path, out: Path) -> str | None:
        try:
            track = films.Track(path)
        except films.Unread:
            return "ffmpeg does not read it"
        wanted = track.pictures()
        if wanted and not wanted[0]:
            return "ffmpeg does not read it"
        target = out / path.stem
        problem = self.safelight([path, "-o", f"{target}/%d.png"])
        if problem:
            is_read = track.frames(track.pixels, 1)
            return f"{track.pixels}: {problem}" if is_read else "ffmpeg does not read it"
        found = sorted(target.glob("*.png"), key=lambda file: int(file.stem))
        if wanted is None:
            return f"{track.pixels} is converted by ffmpeg"
        what = _difference(found, *wanted)
        return what and f"{track.pixels}: {what}"

    def write(self, kind: str, container: str, size: tuple[int, int], folder: Path):
        """Compares what the tool writes without loss with what ffmpeg reads back."""
        name = f"out {container} {kind} {size[0]}x{size[1]}"
        source, target = folder / "in.nut", folder / f"out.{container}"
        stored = pixels.layout(kind)
        planes = None if stored else films.ycbcr_kind(kind)
        data = []
        for picture in KINDS:
            if stored:
                data.append(pixels.stored(stored, made(pixels.bits(stored), size, picture)))
            else:
                data.append(films.planes(size, *planes, lambda shape: made((planes[1],), shape, picture)))
        if not films.write_raw(folder, kind, [("in", size, b"".join(data))]):
            self.record(name, "NUT holds no such pixels")
            return
        asked = [] if planes else ["--output-format", kind.replace("be", "le")]
        problem = self.safelight([source, "-o", target, "--lossless", *asked])
        if problem:
            self.record(name, problem.replace(str(folder), ""))
            return
        read = films.Track(target).frames(kind, len(data[0]))
        wrong = sum(one != other for one, other in zip(read, data)) + abs(len(read) - len(data))
        self.record(name, f"{wrong} of {len(data)} pictures differ" if wrong else None)


def _difference(files: list[Path], pictures: list[numpy.ndarray], bits: int) -> str | None:
    """What differs between PNG files and the pictures that they should be."""
    if len(files) != len(pictures):
        return f"{len(files)} pictures instead of {len(pictures)}"
    most = 0
    for file, picture in zip(files, pictures):
        read = samples.read(file)
        if read.bits != bits:
            return f"{read.bits} bits instead of {bits}"
        most = max(most, _distance(read.samples.astype(int), picture, bits))
    return f"off by up to {most} of {bits} bits" if most else None


def _distance(one: numpy.ndarray, other: numpy.ndarray, bits: int) -> int:
    def full(picture):
        if picture.shape[2] <= 2:
            picture = numpy.concatenate([picture[..., :1]] * 3 + [picture[..., 1:]], axis=2)
        if picture.shape[2] == 3:
            opaque = numpy.full(picture.shape[:2] + (1,), (1 << bits) - 1)
            picture = numpy.concatenate([picture, opaque], axis=2)
        return picture

    return int(abs(full(one) - full(other)).max()) if one.shape[:2] == other.shape[:2] else 1 << bits


def raw_case(check: Check, name: str, folder: Path):
    """One pixel format: a film of four pictures for each size, all in one run."""
    layout = pixels.layout(name)
    bits = pixels.bits(layout)
    target = 8 if max(bits) <= 8 else 16
    sizes = [(1, 1), (17, 5)] if check.is_quick else SIZES
    pictures = {size: [made(bits, size, kind) for kind in KINDS] for size in sizes}
    stem = "{0[0]}x{0[1]}".format
    raw = [(stem(size), size, b"".join(pixels.stored(layout, each) for each in pictures[size])) for size in sizes]
    if not films.write_raw(folder, name, raw):
        check.record(f"in {name}", "NUT holds no such pixels")
        return
    paths = [folder / f"{stem(size)}.nut" for size in sizes]
    if films.Track(paths[0]).pixels != name:
        check.record(f"in {name}", "NUT holds no such pixels")
        return
    problem = check.safelight([*paths, "-o", folder / "out/"])
    for size in sizes:
        found = [] if problem else sorted((folder / "out").glob(f"{stem(size)}.*.png"))
        wanted = [pixels.widened(each, bits, target) for each in pictures[size]]
        check.record(f"in {name} {stem(size)}", problem or _difference(found, wanted, target))


def coded_case(check: Check, suffix: str, encoder: str, options: list, name: str, is_still: bool, folder: Path):
    """One encoder with one pixel format in one container: four pictures for each size."""
    source = "rgba64le" if max(films_bits().get(name, 8), 8) > 8 else "rgba"
    layout = pixels.layout(source)
    sizes = [(17, 5)] if check.is_quick else SIZES
    paths = []
    for size in sizes:
        for group in ([[kind] for kind in (KINDS[-1:] if check.is_quick else KINDS)] if is_still else [KINDS]):
            stem = f"{size[0]}x{size[1]}" + (f" {group[0]}" if is_still else "")
            path = folder / f"{stem}.{suffix}"
            data = b"".join(pixels.stored(layout, made(pixels.bits(layout), size, kind)) for kind in group)
            (folder / "in.raw").write_bytes(data)
            films.run(
                films.QUIET + ["-f", "rawvideo", "-pix_fmt", source, "-s", f"{size[0]}x{size[1]}"]
                + ["-i", folder / "in.raw", "-c:v", encoder, "-pix_fmt", name, *options, path])
            if path.exists() and path.stat().st_size > 0:
                paths.append(path)
    check.read(f"{suffix} {encoder} {name}", folder, paths)


_BITS: dict[str, int] = {}


def films_bits() -> dict[str, int]:
    if not _BITS:
        _BITS.update(films.names())
    return _BITS


def cases(check: Check):
    """Names, and functions that take an empty folder."""
    for name in films_bits():
        if pixels.layout(name):
            yield f"in {name}", lambda folder, name=name: raw_case(check, name, folder)
    there = films.encoders()
    for is_still, table in ((True, STILLS), (False, CONTAINERS)):
        for suffix, encoders in table.items():
            for encoder in (each for each in encoders if each in there):
                options = [] if is_still else ["-f", suffix]
                options += ["-strict", "-2", "-update", 1, "-f", "image2"] if is_still and suffix not in (
                    "gif", "apng", "avif", "ico") else ["-strict", "-2"]
                names = films.encoder_pixels(encoder) or ["rgb24", "gray", "bgr555le", "rgb565be", "pal8"]
                for name in names if is_still or not check.is_quick else {names[0], names[-1]}:
                    label = f"in {suffix} {encoder} {name}"
                    case = suffix, encoder, options, name, is_still
                    yield label, lambda folder, case=case: coded_case(check, *case, folder)
    for container in OUTPUTS:
        for kind in GIVEN if container == "mkv" or not check.is_quick else ("rgba", "yuv420p"):
            for size in ([(4, 1)] if container == "mkv" else [(2, 2)]) if check.is_quick else SIZES:
                label = f"out {container} {kind} {size[0]}x{size[1]}"
                yield label, lambda folder, a=(kind, container, size): check.write(*a, folder)


def main() -> int:
    parser = argparse.ArgumentParser(prog="check-formats", description=DESCRIPTION)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and pictures of what is encoded")
    parser.add_argument("--only", default="", help="the cases whose names begin so: in, out, in rgb565le")
    parser.add_argument("--list", action="store_true", help="print what differs, with its reason")
    parser.add_argument("tool", nargs="?", default=".build/release/safelight")
    arguments = parser.parse_args()
    check = Check(arguments.tool, arguments.quick, arguments.list)

    def one(case):
        with tempfile.TemporaryDirectory(prefix="check-formats-") as folder:
            case(Path(folder))

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(one, [case for label, case in cases(check) if label.startswith(arguments.only)]))
    print(f"check-formats: {check.compared} compared, {check.explained} differ for a known reason, "
          f"{check.unexplained} differ")
    return 1 if check.unexplained or not check.compared else 0


if __name__ == "__main__":
    sys.exit(main())
