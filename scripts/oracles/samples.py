"""PNG files as arrays of samples, read by pypng and laid out by the rules Safelight promises.

Palette entries become RGB, or RGBA where a tRNS chunk gives them alpha; a tRNS colour key becomes an
alpha channel; grey of 1, 2 and 4 bits is spread over 8 bits. Nothing here uses floating point.
"""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy
import png


class Unreadable(Exception):
    """The file is not a PNG that can be read; the text says why."""


@dataclass(frozen=True)
class Picture:
    """Samples as (height, width, channels) uint64, `bits` 8 or 16, and how the file stored them."""

    samples: numpy.ndarray
    bits: int
    stored_bits: int
    stored_palette: bool

    @property
    def maximum(self) -> int:
        return (1 << self.bits) - 1

    @property
    def channels(self) -> int:
        return self.samples.shape[2]

    @property
    def color_channels(self) -> int:
        """Channels without alpha: 2 is grey and alpha, 4 is RGB and alpha."""
        return {1: 1, 2: 1, 3: 3, 4: 3}[self.channels]

    @property
    def counted(self) -> numpy.ndarray:
        """Which pixels are seen: those whose alpha is not 0, as (height, width)."""
        height, width, channels = self.samples.shape
        return self.samples[:, :, -1] > 0 if channels in (2, 4) else numpy.ones((height, width), dtype=bool)

    @property
    def all(self) -> numpy.ndarray:
        """Every pixel, in place of those that are seen."""
        return numpy.ones(self.samples.shape[:2], dtype=bool)

    @property
    def kind(self) -> str:
        return {1: "grey", 2: "grey+alpha", 3: "rgb", 4: "rgba"}[self.channels] + str(self.bits)

    def with_samples(self, samples: numpy.ndarray) -> "Picture":
        return Picture(samples, self.bits, self.stored_bits, self.stored_palette)

    def digest(self) -> str:
        """SHA-256 over width, height, channels, bits and the samples in PNG order."""
        height, width, channels = self.samples.shape
        digest = hashlib.sha256(struct.pack("<4I", width, height, channels, self.bits))
        digest.update(self.samples.astype(">u2" if self.bits == 16 else "u1").tobytes())
        return "sha256:" + digest.hexdigest()


def read(path: Path) -> Picture:
    """Reads one PNG file."""
    try:
        reader = png.Reader(filename=str(path))
        width, height, rows, info = reader.read()
        stored = numpy.array([numpy.asarray(row, dtype=numpy.uint64) for row in rows], dtype=numpy.uint64)
        stored = stored.reshape(height, width, info["planes"])
    except Exception as error:  # pypng lets zlib's and struct's own errors through
        raise Unreadable(f"{path}: {type(error).__name__}: {error}") from error

    stored_bits = info["bitdepth"]
    if "palette" in info:
        return Picture(_palette_colors(path, stored, info["palette"]), 8, stored_bits, True)

    key = info.get("transparent")
    key = None if key is None else numpy.array(key, dtype=numpy.uint64).reshape(-1)
    bits = max(stored_bits, 8)
    # 255, 85, 17 and 1: the exact factor from the stored range to the full one
    samples = stored * numpy.uint64(((1 << bits) - 1) // ((1 << stored_bits) - 1))
    if key is not None:
        # the key is compared before spreading, in the stored depth
        opaque = (stored != key).any(axis=2, keepdims=True).astype(numpy.uint64)
        samples = numpy.concatenate([samples, opaque * numpy.uint64((1 << bits) - 1)], axis=2)
    return Picture(samples, bits, stored_bits, False)


def _palette_colors(path: Path, indices: numpy.ndarray, palette: list) -> numpy.ndarray:
    colors = numpy.array(palette, dtype=numpy.uint64)
    if int(indices.max()) >= len(colors):
        raise Unreadable(f"{path}: a pixel names palette entry {indices.max()} of {len(colors)}")
    return colors[indices[:, :, 0].astype(numpy.intp)]
