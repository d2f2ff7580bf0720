"""The programs that equalize a folder of PNGs into another, with their commands and versions."""

import dataclasses
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

import cv2

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Contender:
    """A program, and how it is called with (input folder, output folder, workers)."""

    name: str
    version: str
    command: Callable[[pathlib.Path, pathlib.Path, int], list[str]]
    # How many of its processes work at a time, each with memory of its own.
    processes: Callable[[int], int] = lambda workers: 1
    # Its pictures are OpenCV's.
    is_opencv: bool = False


def said(*command: str) -> str:
    """The first line of what a program says."""
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    return (ended.stdout or ended.stderr).strip().splitlines()[0]


def each(*command: str) -> Callable[[pathlib.Path, pathlib.Path, int], list[str]]:
    """Calls a program once a frame, as many at a time as there are workers; IN and OUT stand for the two files."""

    def call(source: pathlib.Path, output: pathlib.Path, workers: int) -> list[str]:
        line = " ".join(command).replace("IN", f"'{source}'/{{}}").replace("OUT", f"'{output}'/{{}}")
        return ["sh", "-c", f"ls '{source}' | xargs -P {workers} -I {{}} {line}"]

    return call


def opencv(kind: str) -> Callable[[pathlib.Path, pathlib.Path, int], list[str]]:
    return lambda source, output, workers: [
        *(sys.executable, str(HERE / "opencv_equalize.py"), str(source), str(output), str(workers), kind)
    ]


EQUALIZING = ["--filter", "equalize=rule=opencv:channels=each"]
COPYING = ["--filter", "passthrough"]


def safelight(
    tool: str, device: str, filtering: list[str] = EQUALIZING
) -> Callable[[pathlib.Path, pathlib.Path, int], list[str]]:
    return lambda source, output, workers: [
        *(tool, "process", str(source), "-o", str(output), *filtering, "--device", device),
        *("--jobs", str(workers), "--progress", "none"),
    ]


def ffmpeg(*filtering: str) -> Callable[[pathlib.Path, pathlib.Path, int], list[str]]:
    # PNG is decoded and encoded in threads of whole frames.
    return lambda source, output, workers: [
        *("ffmpeg", "-nostdin", "-loglevel", "error", "-threads", str(workers), "-i", f"{source}/%04d.png"),
        *(*filtering, "-threads", str(workers), f"{output}/%04d.png"),
    ]


def vips(*operation: str) -> Callable[[pathlib.Path, pathlib.Path, int], list[str]]:
    return each(*ALONE, "vips", *operation, "IN", "OUT")


# One worker of a program has one thread.
ALONE = ["env", "OMP_NUM_THREADS=1", "VIPS_CONCURRENCY=1"]


def contenders(tool: str) -> list[Contender]:
    """Ours first."""
    magick = shutil.which("magick") or shutil.which("convert-im6.q16") or "convert"
    ours = said(tool, "--version")
    image_magick = said(magick, "-version").split(" https")[0].removeprefix("Version: ")
    return [
        Contender("safelight --device cpu", ours, safelight(tool, "cpu"), is_opencv=True),
        Contender("safelight --device software", ours, safelight(tool, "software"), is_opencv=True),
        Contender("OpenCV, threads", cv2.__version__, opencv("threads"), is_opencv=True),
        Contender("OpenCV, processes", cv2.__version__, opencv("processes"), lambda workers: workers, is_opencv=True),
        Contender("ffmpeg histeq", said("ffmpeg", "-version").split(" Copyright")[0], ffmpeg("-vf", "histeq")),
        Contender("vips hist_equal", said("vips", "--version"), vips("hist_equal"), lambda workers: workers),
        Contender(
            "gm convert -equalize",
            " ".join(said("gm", "version").split()[:2]),
            each(*ALONE, "gm", "convert", "IN", "-equalize", "OUT"),
            lambda workers: workers,
        ),
        Contender(
            "convert -equalize", image_magick, each(*ALONE, magick, "IN", "-equalize", "OUT"), lambda workers: workers
        ),
    ]


def copiers(tool: str) -> list[Contender]:
    """Ours, OpenCV, ffmpeg and libvips where pictures are read and written as they are."""
    ours, software, opencv_threads, _, by_ffmpeg, by_vips, *_ = contenders(tool)
    return [
        dataclasses.replace(ours, command=safelight(tool, "cpu", COPYING)),
        dataclasses.replace(software, command=safelight(tool, "software", COPYING)),
        opencv_threads,
        dataclasses.replace(by_ffmpeg, name="ffmpeg", command=ffmpeg()),
        dataclasses.replace(by_vips, name="vips copy", command=vips("copy")),
    ]
