"""Checks that the metadata of a PNG came through a program unchanged and in legal order."""

import argparse
import shutil
import struct
import subprocess
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

DESCRIPTION = """\
Lists the chunks of INPUT and OUTPUT, and checks that OUTPUT carries the same colour, density, Exif and
text chunks byte for byte and no others, that its checksums are right and that its chunks stand in legal
order. Where pngcheck and pngfix are installed they must find no fault in OUTPUT either."""

EPILOG = "Exit status: 0 as it should be; 1 something is not; 2 a file cannot be read as PNG."

SIGNATURE = b"\x89PNG\r\n\x1a\n"

#: What must come through unchanged.
KEPT = ("gAMA", "cHRM", "sRGB", "iCCP", "pHYs", "eXIf", "tEXt", "zTXt", "iTXt")
TEXTS = {"tEXt", "zTXt", "iTXt"}

BEFORE_PALETTE = {"gAMA", "cHRM", "sRGB", "iCCP", "sBIT"}
AFTER_PALETTE = {"tRNS", "bKGD", "hIST"}
BEFORE_DATA = BEFORE_PALETTE | AFTER_PALETTE | {"PLTE", "pHYs", "eXIf", "sPLT"}
ONCE = BEFORE_DATA - {"sPLT"} | {"IHDR", "IEND", "tIME"}


class NotPNG(Exception):
    """The file is not a sequence of chunks; the text says where it stops being one."""


@dataclass(frozen=True)
class Chunk:
    kind: str
    data: bytes
    checksum_is_right: bool


def chunks(path: Path) -> list[Chunk]:
    """The chunks of a file in their order."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotPNG(f"{path}: {error.strerror}") from error
    if not content.startswith(SIGNATURE):
        raise NotPNG(f"{path}: does not begin with the PNG signature")
    result, place = [], len(SIGNATURE)
    while place < len(content):
        if place + 12 > len(content):
            raise NotPNG(f"{path}: ends within the chunk at byte {place}")
        length, kind = struct.unpack_from(">I4s", content, place)
        if place + 12 + length > len(content):
            raise NotPNG(f"{path}: ends within the chunk at byte {place}")
        data = content[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack_from(">I", content, place + 8 + length)
        right = zlib.crc32(kind + data) == checksum
        result.append(Chunk(kind.decode("latin-1"), data, right))
        place += 12 + length
    return result


def problems(source: list[Chunk], output: list[Chunk]) -> list[str]:
    """Everything that is wrong with the output, one sentence each."""
    found = [f"{chunk.kind}: its checksum is wrong" for chunk in output if not chunk.checksum_is_right]
    found += _order_problems([chunk.kind for chunk in output])
    for kind in KEPT:
        before = [chunk.data for chunk in source if chunk.kind == kind]
        after = [chunk.data for chunk in output if chunk.kind == kind]
        lost, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
        found += [f"{kind}: lost: {_shown(data)}" for data in lost.elements()]
        found += [f"{kind}: not in the input: {_shown(data)}" for data in new.elements()]
        if not lost and not new and before != after:
            found.append(f"{kind}: the chunks changed their order")
    return found


def _order_problems(kinds: list[str]) -> list[str]:
    found = []
    if kinds[:1] != ["IHDR"]:
        found.append("IHDR: is not the first chunk")
    if kinds[-1:] != ["IEND"]:
        found.append("IEND: is not the last chunk")
    found += [f"{kind}: stands {count} times" for kind, count in Counter(kinds).items() if kind in ONCE and count > 1]
    if "IDAT" not in kinds:
        return [*found, "IDAT: is missing"]

    first = kinds.index("IDAT")
    last = len(kinds) - 1 - kinds[::-1].index("IDAT")
    found += [f"{kind}: stands between the IDAT chunks" for kind in kinds[first : last + 1] if kind != "IDAT"]
    found += [f"{kind}: stands after IDAT" for kind in kinds[first:] if kind in BEFORE_DATA]
    if "PLTE" in kinds:
        palette = kinds.index("PLTE")
        found += [f"{kind}: stands after PLTE" for kind in kinds[palette:] if kind in BEFORE_PALETTE]
        found += [f"{kind}: stands before PLTE" for kind in kinds[:palette] if kind in AFTER_PALETTE]
    return found


def _shown(data: bytes) -> str:
    return repr(data[:40])[1:] + (f" … {len(data)} bytes" if len(data) > 40 else "")


def outside_problems(path: Path) -> list[str]:
    """What pngcheck and pngfix say, where they are installed."""
    found = []
    for tool in (["pngcheck", "-q"], ["pngfix", "--quiet", "--errors", "--warnings"]):
        if shutil.which(tool[0]) is None:
            print(f"{tool[0]}: not installed, not run")
            continue
        run = subprocess.run([*tool, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = run.stdout.strip()
        # pngfix tells of warnings in words alone
        if run.returncode != 0 or said:
            found.append(f"{tool[0]}: {said or f'exit status {run.returncode}'}")
    return found


def _listing(name: str, of: list[Chunk]) -> str:
    """One line: the chunks with their lengths, a run of IDAT as one."""
    words: list[str] = []
    for i, chunk in enumerate(of):
        if chunk.kind == "IDAT" and i > 0 and of[i - 1].kind == "IDAT":
            continue
        length = sum(len(c.data) for c in of if c.kind == "IDAT") if chunk.kind == "IDAT" else len(chunk.data)
        words.append(f"{chunk.kind} {length}")
    return f"{name}: " + ", ".join(words)


def check(source: Path, output: Path) -> int:
    """Compares two files, prints what is found, and gives the exit status."""
    try:
        before, after = chunks(source), chunks(output)
    except NotPNG as problem:
        print(f"check-png-metadata: {problem}", file=sys.stderr)
        return 2
    print(_listing(str(source), before))
    print(_listing(str(output), after))
    found = problems(before, after) + outside_problems(output)
    for problem in found:
        print(problem)
    kept = sum(chunk.kind in KEPT for chunk in before)
    print(f"{kept} metadata chunks, {len(found)} problems")
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="check-png-metadata",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s INPUT OUTPUT\n       %(prog)s --self-test",
    )
    parser.add_argument("--self-test", action="store_true", help="check this checker")
    parser.add_argument("paths", nargs="*", type=Path, metavar="INPUT OUTPUT")
    arguments = parser.parse_args()
    if arguments.self_test:
        import png_metadata_self_test

        return png_metadata_self_test.run()
    if len(arguments.paths) != 2:
        parser.error("give one INPUT and one OUTPUT")
    return check(*arguments.paths)


if __name__ == "__main__":
    sys.exit(main())
