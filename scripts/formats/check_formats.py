"""Compares the pictures of every pixel format, container and still format that ffmpeg writes with their samples."""

import argparse
import os
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
fails. --quick leaves out sizes where many formats share the code, and encoders and containers of films."""

SIZES = [(1, 1), (4, 1), (1, 4), (2, 2), (3, 3), (17, 5), (64, 48)]
# Those of faces, H.263, television, and encoders that refuse small pictures.
FIXED_SIZES = [(48, 48), (64, 64), (176, 144), (720, 576), (1920, 1080)]
KINDS = ("white", "black", "ramp", "noise")
STILLS = {  # file extension and encoders
    "bmp": ["bmp"], "png": ["png"], "jpg": ["mjpeg", "ljpeg"], "jls": ["jpegls"], "jp2": ["jpeg2000", "libopenjpeg"],
    "jxl": ["libjxl"], "webp": ["libwebp"], "avif": ["libaom-av1"], "tif": ["tiff"], "tga": ["targa"], "pcx": ["pcx"],
    "sgi": ["sgi"], "pam": ["pam"], "ppm": ["ppm"], "pgm": ["pgm"], "pbm": ["pbm"], "pgmyuv": ["pgmyuv"],
    "pfm": ["pfm"], "phm": ["phm"], "dpx": ["dpx"], "exr": ["exr"], "qoi": ["qoi"], "xbm": ["xbm"], "xface": ["xface"],
    "xwd": ["xwd"], "sun": ["sunrast"], "fits": ["fits"], "pix": ["alias_pix"], "vbn": ["vbn"], "ico": ["bmp", "png"],
    "gif": ["gif"], "apng": ["apng"],
}
DNXHR = ["-profile:v", "dnxhr_hq"]
OPTIONS = {  # what encoders, with some pixels, and containers need
    "vbn": ["-format", "raw"], "dnxhd": DNXHR, "mxf_opatom": ["-c:v", "dnxhd", *DNXHR],
    "dnxhd yuv422p10le": ["-profile:v", "dnxhr_hqx"], "dnxhd yuv444p10le": ["-profile:v", "dnxhr_444"],
    "dnxhd gbrp10le": ["-profile:v", "dnxhr_444"], "libvpx yuva420p": ["-auto-alt-ref", 0],
}
HOLDS = ("nut", "matroska", "avi", "mov", "mxf")  # the first that takes an encoder's packets
RAW = ("nut", "matroska", "avi", "mov")
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
        self.compared, self.explained, self.unexplained, self.unwritten = 0, 0, 0, 0

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

    def read(self, written: dict[str, Path], folder: Path):
        """Compares the pictures that the tool makes of films with those that NumPy does."""
        out = folder / "out"
        together = self.safelight([*written.values(), "-o", f"{out}/"])
        tracks = {name: films.Track(path) for name, path in written.items()}
        plain = [track for track in tracks.values() if track.plain]
        frames = dict(zip(map(id, plain), films.frames_of_all(plain, folder)))
        for name, track in tracks.items():
            # One film that is refused ends the run of all.
            what = self.safelight([track.path, "-o", f"{out}/"]) if together else None
            if not what and not track.plain:
                what = "it is converted by ffmpeg"
            if not what:
                found = sorted(out.glob(f"{track.path.stem}.*png"))
                what = _difference(found, *track.pictures(frames[id(track)]))
            is_read = not what or films.is_read(track.path)
            self.record(name, what and (f"{track.pixels}: {what}" if is_read else "ffmpeg does not read it"))

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
        check.record(f"raw {name}", "NUT holds no such pixels")
        return
    paths = [folder / f"{stem(size)}.nut" for size in sizes]
    if films.Track(paths[0]).pixels != name:
        check.record(f"raw {name}", "NUT holds no such pixels")
        return
    problem = check.safelight([*paths, "-o", folder / "out/"])
    for size in sizes:
        found = [] if problem else sorted((folder / "out").glob(f"{stem(size)}.*.png"))
        wanted = [pixels.widened(each, bits, target) for each in pictures[size]]
        check.record(f"raw {name} {stem(size)}", problem or _difference(found, wanted, target))


@dataclass(frozen=True)
class Coded:
    """What ffmpeg is asked to write; without an encoder or pixel format, it takes what the container has by itself."""

    muxer: str
    suffix: str
    encoder: str | None = None
    pixels: str | None = None

    @property
    def label(self) -> str:
        return " ".join(word for word in ("in", self.muxer, self.suffix, self.encoder, self.pixels) if word)

    @property
    def is_still(self) -> bool:
        return self.suffix in STILLS

    def write(self, folder: Path, films_to_make: list[tuple[str, tuple[int, int], tuple[str, ...]]]) -> list[Path]:
        """The files, by one run of ffmpeg, of a stem, a size and the kinds of pictures each; without those that ffmpeg
        does not write, for which it is run for each alone."""
        source = "rgba64le" if films_bits().get(self.pixels, 8) > 8 else "rgba"
        layout = pixels.layout(source)
        command, outputs, paths = list(films.QUIET), [], []
        for index, (stem, size, kinds) in enumerate(films_to_make):
            raw, path = folder / f"{index}.raw", folder / f"{stem}.{self.suffix}"
            raw.write_bytes(b"".join(pixels.stored(layout, made(pixels.bits(layout), size, kind)) for kind in kinds))
            command += ["-f", "rawvideo", "-pix_fmt", source, "-s", f"{size[0]}x{size[1]}", "-i", raw]
            outputs += ["-map", index] + (["-c:v", self.encoder] if self.encoder else [])
            outputs += ["-pix_fmt", self.pixels] if self.pixels else []
            name = self.encoder or self.muxer
            outputs += OPTIONS.get(f"{name} {self.pixels}", OPTIONS.get(name, [])) + ["-strict", "-2", "-f", self.muxer]
            outputs += (["-update", 1] if self.muxer == "image2" else []) + [path]
            paths.append(path)
        if films.run(command + outputs).returncode == 0:
            return [path for path in paths if path.exists() and path.stat().st_size > 0]
        for path in paths:
            path.unlink(missing_ok=True)
        return [] if len(paths) == 1 else [path for film in films_to_make for path in self.write(folder, [film])]


def coded_case(check: Check, choices: list[Coded], folder: Path):
    """Films of four pictures, or stills of one each, of each size, by the first choice that works."""
    tried = [(coded, size) for size in SIZES[-1:] + FIXED_SIZES for coded in choices]
    works = next((each for each in tried if each[0].write(folder, [("first", each[1], KINDS[-1:])])), None)
    if not works:
        check.record(choices[0].label, "ffmpeg writes none")
        return
    coded, largest = works
    wanted = []
    for size in [largest] if check.is_quick or largest in FIXED_SIZES else SIZES:
        for group in [(kind,) for kind in KINDS] if coded.is_still else [KINDS]:
            wanted.append((f"{size[0]}x{size[1]}" + (f" {group[0]}" if coded.is_still else ""), size, group))
    written = coded.write(folder, wanted)
    check.unwritten += len(wanted) - len(written)
    if written:
        check.read({f"{coded.label} {path.stem}": path for path in written}, folder)


_BITS: dict[str, int] = {}


def films_bits() -> dict[str, int]:
    if not _BITS:
        _BITS.update(films.names())
    return _BITS


def coded(is_quick: bool):
    """Every still format, encoder and container, each with all its pixel formats, as choices of one case."""
    there = films.encoders()
    for suffix, encoders in STILLS.items():
        muxer = suffix if suffix in ("gif", "apng", "avif", "ico", "fits") else "image2"
        for encoder in (each for each in encoders if each in there):
            names = films.encoder_pixels(encoder) or [None]
            for name in dict.fromkeys((names[0], names[-1])) if is_quick else names:
                yield [Coded(muxer, suffix, encoder, name)]
    if is_quick:
        return
    suffixes = films.containers()
    for muxer, suffix in suffixes.items():
        if suffix not in STILLS:
            yield [Coded(muxer, suffix, pixels=name) for name in (None, "yuv420p", "yuv422p")]
    for muxer in RAW:
        names = [name for name in films_bits() if muxer == "nut" or pixels.layout(name)]
        for name in names:
            yield [Coded(muxer, suffixes[muxer], "rawvideo", name)]
    covered = {encoder for encoders in STILLS.values() for encoder in encoders} | {"rawvideo"}
    for encoder in (each for each in there if each not in covered):
        names = films.encoder_pixels(encoder) or [None]
        for name in names:
            yield [Coded(muxer, suffixes[muxer], encoder, name) for muxer in HOLDS]


def cases(check: Check):
    """Names, and functions that take an empty folder."""
    for name in films_bits():
        if pixels.layout(name):
            yield f"raw {name}", lambda folder, name=name: raw_case(check, name, folder)
    for choices in coded(check.is_quick):
        yield choices[0].label, lambda folder, choices=choices: coded_case(check, choices, folder)
    for container in OUTPUTS:
        for kind in GIVEN if container == "mkv" or not check.is_quick else ("rgba", "yuv420p"):
            for size in ([(4, 1)] if container == "mkv" else [(2, 2)]) if check.is_quick else SIZES:
                label = f"out {container} {kind} {size[0]}x{size[1]}"
                yield label, lambda folder, a=(kind, container, size): check.write(*a, folder)


def main() -> int:
    parser = argparse.ArgumentParser(prog="check-formats", description=DESCRIPTION)
    parser.add_argument("--quick", action="store_true", help="fewer sizes; of what is encoded, stills of two formats")
    parser.add_argument("--only", default="", help="the cases whose names begin so: raw, in, out, raw rgb565le")
    parser.add_argument("--list", action="store_true", help="print what differs, with its reason")
    parser.add_argument("tool", nargs="?", default=".build/release/safelight")
    arguments = parser.parse_args()
    check = Check(arguments.tool, arguments.quick, arguments.list)

    def one(case):
        with tempfile.TemporaryDirectory(prefix="check-formats-") as folder:
            case(Path(folder))

    chosen = [case for label, case in cases(check) if label.startswith(arguments.only)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for number, _ in enumerate(pool.map(one, chosen), 1):
            if number % 100 == 0:
                print(f"check-formats: {number} of {len(chosen)} cases", file=sys.stderr, flush=True)
    print(f"check-formats: {check.compared} compared, {check.explained} differ for a known reason, "
          f"{check.unexplained} differ; ffmpeg does not write {check.unwritten} files")
    return 1 if check.unexplained or not check.compared else 0


if __name__ == "__main__":
    sys.exit(main())
