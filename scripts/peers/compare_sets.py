"""Times PNG to PNG for frames of many kinds, with Safelight and with its peers, in turn, and prints a table."""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import frame_sets
from compare_peers import ROOT, Row, failures_told, processor, timed
from contenders import contenders, copiers

DESCRIPTION = """\
Equalizes the histogram of each channel of frames of 1920x1080, PNG to PNG, or copies those of 16 bits and with alpha,
with Safelight, OpenCV, ffmpeg and libvips: whole commands with the same number of workers, each alone on the machine
and all in turn. The pictures of Safelight and OpenCV are compared. A ratio is the median of those of single rounds:
how many times as fast Safelight is. Each set has six frames, several times each."""


def ratios(of: list[Row], row: Row) -> dict[str, float]:
    return {one.contender.name.split()[-1]: one.speed_against(row) for one in of}


def compared(tool: str, chosen: frame_sets.FrameSet, writer: str, arguments: argparse.Namespace) -> dict:
    """The figures of one set as one program writes it."""
    with tempfile.TemporaryDirectory(prefix="compare-sets-") as folder:
        scratch = pathlib.Path(folder)
        source = frame_sets.make(tool, chosen, writer, scratch, arguments.copies)
        both = contenders(tool)
        all_of_them = copiers(tool) if chosen.is_copied else [*both[:3], *both[4:6]]
        rows = [Row(one) for one in all_of_them[: 5 if arguments.all else 3]]
        timed(rows, source, scratch, arguments.rounds, arguments.workers, chosen.is_copied)
        frames = arguments.copies * frame_sets.COUNT
        ours, _, opencv, *_ = rows
        return {
            "set": chosen.name,
            "writer": writer,
            "bytesIn": sum(path.stat().st_size for path in source.glob("*.png")) / frames,
            "openCVMilliseconds": 1e3 * opencv.median("seconds") / frames,
            "openCVBytes": opencv.bytes_written / frames,
            "bytesAgainstOpenCV": ours.bytes_written / opencv.bytes_written,
            "cpuMilliseconds": 1e3 * ours.median("cpu_seconds") / frames,
            "speed": {row.contender.name: ratios(rows[:2], row) for row in rows[2:]},
        }


def line(figures: dict) -> str:
    speeds = [f"{ratio:.2f}" for peer in figures["speed"].values() for ratio in peer.values()]
    cells = [
        f"{figures['set']}, by {figures['writer']}",
        f"{figures['bytesIn'] / 1e6:.2f}",
        f"{figures['openCVMilliseconds']:.0f}",
        f"{figures['cpuMilliseconds']:.0f}",
        *speeds,
        f"{figures['bytesAgainstOpenCV']:.3f}",
    ]
    return "| " + " | ".join(cells) + " |"


def head(figures: dict) -> str:
    speeds = [f"{ours} / {peer.split(',')[0]}" for peer, both in figures["speed"].items() for ours in both]
    cells = ["frames", "MB a file", "OpenCV ms a frame", "CPU ms a frame", *speeds, "bytes / OpenCV"]
    return "| " + " | ".join(cells) + " |\n" + "| --- " * len(cells) + "|"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="compare-peers sets", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [one.name for one in frame_sets.SETS]
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count; one more warms up (default: 5)")
    parser.add_argument("--copies", type=int, default=4, help="how often each of six frames comes (default: 4)")
    parser.add_argument("--workers", type=int, default=2, help="workers of each program (default: 2)")
    parser.add_argument("--set", action="append", choices=names, help="only this set; may be repeated")
    parser.add_argument("--writer", action="append", choices=frame_sets.WRITERS, help="only as this program writes")
    parser.add_argument("--opencv-only", dest="all", action="store_false", help="leave ffmpeg and libvips out")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("tool", nargs="?", default=str(ROOT / ".build/release/safelight"), help="the program safelight")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.workers])
    table = []
    with failures_told():
        for chosen in frame_sets.SETS:
            if arguments.set and chosen.name not in arguments.set:
                continue
            for writer in arguments.writer or frame_sets.WRITERS:
                table.append(compared(arguments.tool, chosen, writer, arguments))
                if len(table) == 1:
                    print(f"{processor()}, {arguments.workers} workers, medians of {arguments.rounds} rounds.\n")
                    print(head(table[0]))
                print(line(table[-1]), flush=True)
                if arguments.json:
                    arguments.json.write_text(json.dumps(table, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
