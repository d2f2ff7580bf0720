"""Tests check-png-metadata with planted faults, on files of its own making."""

import contextlib
import io
import struct
import zlib
from functools import partial
from pathlib import Path

import check_png_metadata
import command


def run() -> int:
    """Runs every case; prints what fails, and a count."""
    return command.self_test({name: partial(_check, *case) for name, case in _cases().items()})


def _check(source: bytes, output: bytes, status: int, word: str, folder: Path) -> None:
    (folder / "in.png").write_bytes(source)
    (folder / "out.png").write_bytes(output)
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        actual = check_png_metadata.check(folder / "in.png", folder / "out.png")
    assert actual == status, f"exit status {actual}, expected {status}, in:\n{text.getvalue()}"
    assert word in text.getvalue(), f"expected '{word}' in:\n{text.getvalue()}"


def _cases() -> dict[str, tuple[bytes, bytes, int, str]]:
    ihdr = _chunk("IHDR", struct.pack(">2I5B", 2, 1, 8, 0, 0, 0, 0))
    idat = _chunk("IDAT", zlib.compress(b"\0\1\2"))
    iend = _chunk("IEND")
    gamma = _chunk("gAMA", struct.pack(">I", 45455))
    dots = _chunk("pHYs", struct.pack(">2IB", 2835, 2835, 1))
    text, other = _chunk("tEXt", b"Title\0one"), _chunk("tEXt", b"Title\0two")
    wrong = text[:-1] + bytes([text[-1] ^ 1])

    def png(*parts: bytes) -> bytes:
        return check_png_metadata.SIGNATURE + b"".join(parts)

    source = png(ihdr, gamma, dots, text, other, idat, iend)
    halves = _chunk("IDAT", zlib.compress(b"\0\1\2")[:5]), _chunk("IDAT", zlib.compress(b"\0\1\2")[5:])
    return {
        "the same file": (source, source, 0, "4 metadata chunks, 0 problems"),
        "text after the pixels is legal": (source, png(ihdr, gamma, dots, text, idat, other, iend), 0, "0 problems"),
        "split pixels are legal": (source, png(ihdr, dots, gamma, text, other, *halves, iend), 0, "0 problems"),
        "a chunk is lost": (source, png(ihdr, dots, text, other, idat, iend), 1, "gAMA: lost"),
        "one text of two is lost": (source, png(ihdr, gamma, dots, text, idat, iend), 1, "tEXt: lost"),
        "a text comes twice": (source, png(ihdr, gamma, dots, text, text, other, idat, iend), 1, "not in the input"),
        "texts change places": (source, png(ihdr, gamma, dots, other, text, idat, iend), 1, "changed their order"),
        "a byte changes": (source, source.replace(gamma, _chunk("gAMA", b"\0\0\0\1")), 1, "gAMA: not in the input"),
        "a checksum is wrong": (source, source.replace(text, wrong), 1, "tEXt: its checksum is wrong"),
        "gamma after the pixels": (
            source, png(ihdr, dots, text, other, idat, gamma, iend), 1, "gAMA: stands after IDAT"
        ),
        "text among the pixels": (
            source, png(ihdr, gamma, dots, text, halves[0], other, halves[1], iend), 1, "between the IDAT chunks"
        ),
        "gamma twice": (source, source.replace(gamma, gamma * 2), 1, "gAMA: stands 2 times"),
        "no pixels": (source, png(ihdr, gamma, dots, text, other, iend), 1, "IDAT: is missing"),
        "no end": (source, source[: -len(iend)], 1, "IEND: is not the last chunk"),
        "something after the end": (source, source + text, 1, "IEND: is not the last chunk"),
        "cut off": (source, source[:-3], 2, "ends within the chunk"),
        "not a PNG": (source, b"text", 2, "signature"),
    }  # fmt: skip


def _chunk(kind: str, data: bytes = b"") -> bytes:
    body = kind.encode() + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
