"""Checks that other programs read what Safelight's PNG encoder makes of pictures of every kind and size."""

# Packages: programs.txt

import argparse
import functools
import hashlib
import http.server
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy
from command import parser
from PIL import Image

DESCRIPTION = """\
Makes pictures of every kind that PNG has, of sizes from 1x1 to 1x70000 and 70000x1, of noise, gradients, flat areas,
runs, dots, letters and repeated parts, at random but the same for a seed. Safelight writes them with --compression
fast, half of them after a look-up that changes nothing. pngcheck and libpng's pngfix must find no fault; libpng (in
OpenCV), Pillow, ffmpeg and Chromium must read the samples that were put in; and no file may be larger than its samples
stored, by more than a thousandth and 400 bytes. Pillow opens colors of 16 bits without keeping them, and a browser
shows eight bits and hides the colors behind alpha: of these they only tell that they can read them. Chromium gets none
of a side above 16384. Exits with 1 where something is wrong."""

SIZES = [(1, 1), (1, 70000), (70000, 1), (2, 1), (3, 5), (7, 300), (300, 7), (8, 8), (9, 17), (255, 257), (4096, 2)]

# The mode of Pillow, the bits of a sample, and ffmpeg's name; 1, 2 and 4 bits are gray.
KINDS = {
    "gray 1": ("L", 1, "gray"), "gray 2": ("L", 2, "gray"), "gray 4": ("L", 4, "gray"), "gray 8": ("L", 8, "gray"),
    "gray 16": ("I;16", 16, "gray16le"), "gray with alpha": ("LA", 8, "ya8"), "palette": ("P", 8, "rgb24"),
    "RGB 8": ("RGB", 8, "rgb24"), "RGB 16": ("RGB", 16, "rgb48le"), "RGBA 8": ("RGBA", 8, "rgba"),
    "RGBA 16": ("RGBA", 16, "rgba64le"),
}


@dataclass
class Picture:
    name: str
    kind: str
    samples: numpy.ndarray

    @property
    def mode(self) -> str: return KINDS[self.kind][0]
    @property
    def bits(self) -> int: return KINDS[self.kind][1]
    @property
    def layout(self) -> str: return KINDS[self.kind][2]
    @property
    def stored_bytes(self) -> int:
        """The bytes of the rows in a file, each with its filter."""
        height, width = self.samples.shape[:2]
        return height * ((width * self.samples[0, 0].size * self.bits + 7) // 8 + 1)


def contents(random: numpy.random.Generator, height: int, width: int, channels: int) -> numpy.ndarray:
    """Numbers from 0 to 1."""
    y, x = numpy.mgrid[:height, :width].astype(float)
    noise = random.random((height, width, channels))
    ramp = ((x / width + y / height) / 2)[..., None] * random.random(channels)
    kind = random.integers(9)
    if kind == 0:
        return noise
    if kind == 1:
        return ramp
    if kind == 2:
        return numpy.full((height, width, channels), random.random())
    if kind == 3:
        return ramp * 0.9 + noise * 0.02 * random.integers(1, 5)
    if kind == 4:
        return (ramp > noise).astype(float)
    if kind == 5:
        runs = numpy.repeat(noise.reshape(-1, channels), random.integers(2, 300), 0)
        return runs[: height * width].reshape(noise.shape)
    if kind == 6:
        part = noise[: random.integers(1, height + 1), : random.integers(1, width + 1)]
        return numpy.tile(part, (-(-height // part.shape[0]), -(-width // part.shape[1]), 1))[:height, :width]
    if kind == 7:
        return (noise > 0.98).astype(float) * random.random()
    page = numpy.full((height, width), 255, numpy.uint8)
    for line in range(12, height + 12, 14):
        cv2.putText(page, "".join(map(chr, random.integers(33, 127, 200))), (0, line), cv2.FONT_HERSHEY_PLAIN, 0.8, 0)
    return numpy.repeat(page[..., None] / 255, channels, 2)


def pictures(count: int, seed: int) -> Iterator[Picture]:
    random = numpy.random.default_rng(seed)
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        mode, bits, _ = KINDS[kind]
        place = number // len(KINDS)
        width, height = SIZES[place] if place < len(SIZES) else random.integers(1, 300, 2) * (1 if number % 20 else 4)
        channels = {"LA": 2, "RGB": 3, "RGBA": 4}.get(mode, 1)
        levels = (1 << bits) - 1
        samples = numpy.floor(contents(random, int(height), int(width), channels).clip(0, 1) * levels + 0.5)
        if bits < 8:
            samples *= 255 // levels
        samples = samples.astype(numpy.uint16 if bits == 16 else numpy.uint8)
        yield Picture(f"{number:05d}.png", kind, samples[..., 0] if channels == 1 else samples)


def write(picture: Picture, path: Path) -> None:
    """Pillow writes no color of 16 bits, OpenCV neither palettes nor small grays."""
    if picture.bits == 16:
        channels = picture.samples.shape[2] if picture.samples.ndim == 3 else 1
        order = {3: cv2.COLOR_RGB2BGR, 4: cv2.COLOR_RGBA2BGRA}.get(channels)
        cv2.imwrite(str(path), picture.samples if order is None else cv2.cvtColor(picture.samples, order))
    elif picture.mode == "P":
        image = Image.fromarray(picture.samples)
        colors = [(value * 7 + 3 * channel) % 256 for value in range(256) for channel in range(3)]
        image.putpalette(colors)
        picture.samples = numpy.array(colors, numpy.uint8).reshape(-1, 3)[picture.samples]
        image.save(path)
    elif picture.bits < 8:
        # Pillow makes the fewest bits that the entries of a palette need, and so would make no gray: written by hand.
        path.write_bytes(small_gray(picture.samples // (255 // ((1 << picture.bits) - 1)), picture.bits))
    else:
        Image.fromarray(picture.samples, picture.mode).save(path)


def small_gray(levels: numpy.ndarray, bits: int) -> bytes:
    """A file of one IDAT chunk, without filters."""
    height, width = levels.shape
    ones = ((levels[..., None] >> numpy.arange(bits - 1, -1, -1)) & 1).astype(numpy.uint8).reshape(height, width * bits)
    rows = numpy.hstack([numpy.zeros((height, 1), numpy.uint8), numpy.packbits(ones, axis=1)])

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">2I5B", width, height, bits, 0, 0, 0, 0)
    stream = zlib.compress(rows.tobytes())
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", stream) + chunk(b"IEND", b"")


# MARK: The readers, each of which raises or returns samples

def by_opencv(picture: Picture, path: Path) -> numpy.ndarray:
    read = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if read is None:
        raise ValueError("it reads nothing")
    if picture.mode == "LA":
        # OpenCV makes colors of it.
        return read[..., [0, 3]]
    order = {3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGBA}.get(read.shape[2] if read.ndim == 3 else 1)
    return read if order is None else cv2.cvtColor(read, order)


def by_pillow(picture: Picture, path: Path) -> numpy.ndarray | None:
    if picture.bits == 16 and picture.samples.ndim == 3:
        # Pillow has eight bits for colors.
        with Image.open(path) as image:
            image.load()
        return None
    with Image.open(path) as image:
        return numpy.array(image.convert("L") if picture.bits < 8 else image)


def by_ffmpeg(picture: Picture, path: Path) -> numpy.ndarray:
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", picture.layout, "-"]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    return numpy.frombuffer(raw, picture.samples.dtype).reshape(picture.samples.shape)


PAGE = """<!doctype html><script>
const hex = bytes => [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('');
(async () => {
  const said = {};
  for (const name of await (await fetch('/names')).json()) {
    try {
      const picture = await createImageBitmap(await (await fetch('/' + name)).blob(), {colorSpaceConversion: 'none'});
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const drawing = canvas.getContext('2d', {willReadFrequently: true});
      drawing.drawImage(picture, 0, 0);
      const pixels = drawing.getImageData(0, 0, picture.width, picture.height).data;
      said[name] = [picture.width, picture.height, hex(await crypto.subtle.digest('SHA-256', pixels))];
    } catch (error) { said[name] = String(error); }
  }
  await fetch('/said', {method: 'POST', body: JSON.stringify(said)});
})();
</script>"""


def by_chromium(browser: str, folder: Path, names: list[str]) -> dict:
    """What a page of Chromium says of each file: its size and the hash of its pixels, or an error."""
    said: dict = {}
    is_over = threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            answers = {"/": ("text/html", PAGE), "/names": ("application/json", json.dumps(names))}
            if self.path not in answers:
                return super().do_GET()
            kind, body = answers[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body.encode())

        def do_POST(self) -> None:
            said.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            is_over.set()

        def log_message(self, *_: object) -> None: pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            address = f"http://127.0.0.1:{server.server_port}/"
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
            options.append(f"--user-data-dir={profile}")
            child = subprocess.Popen([browser, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                for _ in range(600):
                    if is_over.wait(1) or child.poll() is not None:
                        break
                if not is_over.is_set():
                    raise OSError("Chromium ended, or did not answer within ten minutes")
            finally:
                child.terminate()
                child.wait()
        server.shutdown()
    return said


def pixels_of_a_browser(picture: Picture) -> str | None:
    """The hash of what a canvas holds: four samples a pixel; nothing for pictures that it changes."""
    if picture.bits == 16 or picture.mode in ("LA", "RGBA"):
        return None
    colors = picture.samples if picture.samples.ndim == 3 else numpy.repeat(picture.samples[..., None], 3, 2)
    opaque = numpy.full((*colors.shape[:2], 1), 255, numpy.uint8)
    return hashlib.sha256(numpy.concatenate([colors, opaque], 2).tobytes()).hexdigest()


def faults(tool: str, browser: str, made: list[Picture], folder: Path) -> Iterator[str]:
    written = folder / "out"
    for filters, positions in (("passthrough", "1-:2"), ("invert,invert", "2-:2")):
        command = [tool, "process", folder / "in", "-o", written, "--filter", filters, "--frames", positions]
        subprocess.run([*command, "--device", "cpu", "--progress", "none"], check=True)
    paths = [written / picture.name for picture in made]
    for checker in (["pngcheck", "-q"], ["pngfix", "--quiet", "--quiet"]):
        for path in paths:
            ended = subprocess.run([*checker, path], capture_output=True, text=True)
            # Of pngfix only silence means that all is well.
            if ended.returncode or ended.stdout + ended.stderr:
                yield f"{path.name}: {checker[0]}: {ended.stdout}{ended.stderr}".rstrip()
    readers: dict[str, Callable] = {"OpenCV": by_opencv, "Pillow": by_pillow, "ffmpeg": by_ffmpeg}
    for picture, path in zip(made, paths):
        for name, reader in readers.items():
            try:
                read = reader(picture, path)
            # Each reader has errors of its own.
            except Exception as problem:
                yield f"{path.name}, {picture.kind}: {name}: {problem}"
                continue
            if read is not None and not numpy.array_equal(read, picture.samples):
                yield f"{path.name}, {picture.kind} {picture.samples.shape}: {name} reads other samples"
        # What a file has besides: signature, header, provenance and end; twelve bytes for each block.
        most = picture.stored_bytes * 1.001 + 400
        if path.stat().st_size > most:
            yield f"{path.name}: {path.stat().st_size} bytes for {picture.stored_bytes} of samples"
    shown = [picture for picture in made if max(picture.samples.shape[:2]) <= 16384]
    said = by_chromium(browser, written, [picture.name for picture in shown])
    for picture in shown:
        height, width = picture.samples.shape[:2]
        answer = said.get(picture.name)
        if not isinstance(answer, list) or answer[:2] != [width, height]:
            yield f"{picture.name}, {picture.kind}: Chromium: {answer}"
        elif pixels_of_a_browser(picture) not in (None, answer[2]):
            yield f"{picture.name}, {picture.kind}: Chromium shows other pixels"


def main() -> int:
    made = parser(DESCRIPTION)
    made.add_argument("--count", type=int, default=1000, help="pictures (default: 1000)")
    made.add_argument("--seed", type=int, default=1, help="another seed makes other pictures (default: 1)")
    made.add_argument("--browser", default=shutil.which("chromium") or "chromium", help="the program Chromium")
    made.add_argument("tool", nargs="?", default=".build/release/safelight", help="the program safelight")
    arguments: argparse.Namespace = made.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        corpus = list(pictures(arguments.count, arguments.seed))
        for picture in corpus:
            write(picture, folder / "in" / picture.name)
        wrong = 0
        try:
            for fault in faults(arguments.tool, arguments.browser, corpus, folder):
                wrong += 1
                print(fault, flush=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"{made.prog}: {problem}", file=sys.stderr)
            return 2
    print(f"{len(corpus)} pictures read by pngcheck, pngfix, OpenCV, Pillow, ffmpeg and Chromium, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
