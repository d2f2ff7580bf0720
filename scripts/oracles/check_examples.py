"""Runs the programs in Examples/ and compares their pictures and times with those frozen, and with their goldens."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy
import png

import samples

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "fixtures" / "golden" / "examples"

#: Runs that must be refused, and what the message must name.
REFUSED = [
    ("MovieCompositor", ["--second", "fixtures/films/deep.mkv"], ["bgra8", "yuv420p10"]),
    ("YCbCrCamera", ["--input", "fixtures/films/wide-chroma.mkv"], ["yCbCr420BiPlanar8", "yuv444p"]),
    ("YCbCrCamera", ["--input", "fixtures/dark-room"], ["yCbCr420BiPlanar8", "rgba8"]),
]


def compare(run: dict, folder: Path) -> tuple[int, str]:
    """The number of pictures found, and what is wrong with them; nothing where all are as frozen."""
    paths = sorted(folder.glob("*.png"))
    wanted = run.get("hashes") or run["pictures"]
    if not paths:
        return 0, "no picture"
    if len(paths) != len(wanted):
        return len(paths), f"{len(paths)} pictures instead of {len(wanted)}"
    for path, expected, time in zip(paths, wanted, run["times"]):
        picture = samples.read(path)
        if "tolerance" in run:
            golden = samples.read(GOLDEN / expected)
            if picture.samples.shape != golden.samples.shape:
                return len(paths), f"{path.name} has another size"
            worst = int(numpy.abs(picture.samples.astype(int) - golden.samples.astype(int)).max())
            if worst > run["tolerance"]:
                return len(paths), f"{path.name} differs by {worst}"
        elif picture.digest() != expected:
            return len(paths), f"{path.name} has other pixels"
        if time is not None and presentation_time(path) != Fraction(time):
            return len(paths), f"{path.name} is for {presentation_time(path)} s instead of {time} s"
    return len(paths), ""


def presentation_time(path: Path) -> Fraction | None:
    """The time that a picture carries; `1001/24000 s`."""
    with open(path, "rb") as file:
        for kind, data in png.Reader(file=file).chunks():
            if kind == b"tEXt" and data.startswith(b"Presentation Time\0"):
                return Fraction(data.split(b"\0")[1].decode().removesuffix(" s"))
    return None


def start(programs: Path, program: str, arguments: list[str], device: str, out: str) -> subprocess.CompletedProcess:
    command = [programs / program, "--device", device, "--every-frame", "--out", out, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


def failure(ended: subprocess.CompletedProcess) -> str:
    """What a program that failed says, and that it failed where it says nothing."""
    return ended.stderr.strip() or f"exit code {ended.returncode}"


def keep(run: dict, folder: Path, candidates: Path) -> None:
    """Copies the pictures of a run that have goldens, by the names of those."""
    candidates.mkdir(parents=True, exist_ok=True)
    for path, name in zip(sorted(folder.glob("*.png")), run.get("pictures", [])):
        shutil.copyfile(path, candidates / name)


def verify(safelight: Path, candidates: Path, count: int) -> tuple[int, str]:
    """The number of goldens compared, and what Safelight's own comparison says against the pictures; nothing where all pass."""
    command = [safelight, "golden", "verify", GOLDEN, candidates, "--expect", str(count)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return count, "" if ended.returncode == 0 else ended.stdout + failure(ended)


def main() -> int:
    parser = argparse.ArgumentParser(prog="check-examples", description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder of the programs")
    parser.add_argument("safelight", type=Path, help="the tool, for the goldens")
    parser.add_argument("devices", nargs="+", help="devices to run on")
    parser.add_argument("--keep", type=Path, help="leave the pictures there")
    arguments = parser.parse_args()
    failures = 0

    def row(program: str, device: str, pictures: object, verdict: str) -> None:
        print(f"{program:18} {device:10} {pictures:>8}  {verdict}", flush=True)

    row("program", "device", "pictures", "result")
    runs = json.loads((GOLDEN / "runs.json").read_text())
    goldens = sum(len(run.get("pictures", [])) for run in runs)
    for device in arguments.devices:
        with tempfile.TemporaryDirectory() as temporary:
            place = arguments.keep / device if arguments.keep else Path(temporary)
            for number, run in enumerate(runs):
                folder = place / "runs" / f"{number:02}-{run['program']}"
                ended = start(arguments.programs, run["program"], run["arguments"], device, str(folder))
                count, fault = compare(run, folder) if ended.returncode == 0 else (0, failure(ended))
                keep(run, folder, place / "goldens")
                if not arguments.keep:
                    shutil.rmtree(folder, ignore_errors=True)
                failures += bool(fault)
                as_frozen = "within " + str(run["tolerance"]) if "tolerance" in run else "equal"
                row(run["program"], device, count, fault or as_frozen)
            count, fault = verify(arguments.safelight, place / "goldens", goldens)
            failures += bool(fault)
            row("golden verify", device, count, fault or "as approved")
        for program, options, names in REFUSED:
            with tempfile.TemporaryDirectory() as folder:
                ended = start(arguments.programs, program, options, device, folder)
            refused = ended.returncode != 0 and all(name in ended.stderr for name in names)
            failures += not refused
            row(program, device, "-", "refused" if refused else f"not refused by name: {ended.stderr.strip()}")
    if failures:
        print(f"{failures} runs are not as they must be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
