"""Shows on a real film that a still background flickers with each frame equalized alone; not with a film's tables."""

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image

import command
import equalization
from samples import Picture

DESCRIPTION = """\
Takes two shots of pedestrians before a fixed camera (vtest.avi of Debian's package opencv-doc, which is installed where
it is missing): as filmed; with the top third of the picture times a known gain curve, as if a lamp up there went down
and up; and with the whole picture times the curve. The background is what stays within the film's noise below the top
third.

Flicker is a step of the background's mean from one frame to the next while neither the background nor the light on it
changes. As filmed and with the lamp above, every step counts. With the whole picture times the curve, those count in
which the curve holds, which it does every other step.

Tables may stretch the steps that were filmed by their own steepest rise, and no more. Smoothed tables sum one period of
the curve. From frame to frame one frame leaves the sum and one enters it: what these two, equalized alone, make of the
background may differ, and that difference, divided by the frames in the sum, is allowed on top. Each frame equalized
alone must flicker at least twice as much as is allowed to tables. All ways must give pictures of the same mean level,
so that to leave the frames as they are does not pass.

Steps of a light that shines on the whole picture are no flicker of equalization: each frame equalized alone loses them,
and tables keep them, though smoothed ones follow a curve that is slower than their sum. They are printed, and the curve
must be readable from what one table made.

Exits with 1 where any of this does not hold, with 75 where the film cannot be had."""

PACKAGE, FILM = "opencv-doc", "vtest.avi"
REMEDY = f"apt-get install {PACKAGE}, where /usr/share/doc is not left out, or name a copy of the film with --film"
# Where each shot begins in seconds, and its columns, rows, left and top.
SHOTS = ((70, (384, 288, 256, 0)), (30, (400, 288, 128, 192)))
FRAMES = 36  # every other one of a shot, five a second
TOP = 96
NOISE = 12  # how far the samples of a still pixel may lie apart after the film's compression
CURVE = numpy.repeat([1, 0.9, 0.7, 0.6, 0.7, 0.9], 2)
GAIN = numpy.resize(CURVE, FRAMES)
PERIOD = len(CURVE)
# The frames whose smoothed table is made of a whole period, none of it cut off where the shot begins or ends.
WHOLE_SUMS = slice((PERIOD - 1) // 2, FRAMES - PERIOD // 2)

INPUT, ALONE, ONE, SHOT, SMOOTH = "input", "each frame alone", "one table", "--per shot", f"--smooth {PERIOD}"
# Where the light on the whole picture changes, counts change as much as at a cut; shots are told apart by their sizes.
MERGED = {ONE: [], SHOT: ["--per", "shot", "--cut", "1"], SMOOTH: ["--smooth", str(PERIOD), "--cut", "1"]}
FILMED, LAMP, LIGHT = "as filmed", "lamp above", "all times the curve"


def footage(folder: Path) -> Path | None:
    """The film where the package put it, or None if there is no way to have it."""
    for attempt in range(2 if shutil.which("dpkg") else 0):
        if attempt and subprocess.run([Path(__file__).parents[1] / "requirements", PACKAGE]).returncode:
            return None
        listed = subprocess.run(["dpkg", "-L", PACKAGE], capture_output=True, text=True).stdout
        for path in map(Path, listed.splitlines()):
            # A system without documentation lists the file and does not have it.
            if path.name == FILM and path.exists():
                return path
            if path.name == f"{FILM}.gz" and path.exists():
                (folder / FILM).write_bytes(gzip.decompress(path.read_bytes()))
                return folder / FILM
    return None


def filmed(film: Path, second: int, crop: tuple[int, int, int, int]) -> numpy.ndarray:
    cut_out = ["-vf", "crop=" + ":".join(map(str, crop)), "-frames:v", str(2 * FRAMES - 1)]
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    read = ["ffmpeg", "-v", "error", "-ss", str(second), "-i", film, *cut_out, *raw]
    frames = numpy.frombuffer(subprocess.run(read, stdout=subprocess.PIPE, check=True).stdout, numpy.uint8)
    frames = frames.reshape(-1, crop[1], crop[0], 3)[::2]
    if len(frames) != FRAMES:
        raise OSError(f"{film} has no {2 * FRAMES - 1} frames from {second} s on")
    return frames


def dimmed(frames: numpy.ndarray, rows: int | None = None) -> numpy.ndarray:
    """The frames with their first rows, or all, times the curve."""
    made = frames.astype(float)
    made[:, :rows] *= GAIN[:, None, None, None]
    return numpy.rint(made).astype(numpy.uint8)


def lumas(frames) -> numpy.ndarray:
    return numpy.array([equalization.luma(Picture(frame, 8, 8, False)) for frame in frames], dtype=numpy.uint8)


def equalized(tool: str, device: str, shots: list, folder: Path) -> dict[str, list[numpy.ndarray]]:
    """The luma of each shot's frames: as they are, and equalized in each way."""
    folder.mkdir()
    inputs, counts, tables = folder / "in", folder / "film.counts", folder / "film.tables"
    inputs.mkdir()
    for place, frame in enumerate(frame for shot in shots for frame in shot):
        Image.fromarray(frame).save(inputs / f"f{place:03}.png", compress_level=1)
    quiet = ["--device", device, "--progress", "none", "-q"]
    subprocess.run([tool, "analyze", inputs, "-o", counts, *quiet], check=True)
    result = {INPUT: [lumas(shot) for shot in shots]}
    for way in (ALONE, *MERGED):
        out = folder / way.replace(" ", "")
        if way in MERGED:
            subprocess.run([tool, "merge", counts, "-o", tables, "-q", *MERGED[way]], check=True)
        equalize = f"equalize=table='{tables}'" if way in MERGED else "equalize"
        subprocess.run([tool, "process", inputs, "-o", out, "--filter", equalize, *quiet], check=True)
        paths = sorted(out.glob("*.png"))
        if len(paths) != FRAMES * len(shots):
            raise OSError(f"{out} has {len(paths)} frames")
        made = [numpy.asarray(Image.open(path)) for path in paths]
        result[way] = [lumas(made[first : first + FRAMES]) for first in range(0, len(made), FRAMES)]
    return result


def background(shots: list[numpy.ndarray], masks: list[numpy.ndarray]) -> numpy.ndarray:
    """The background's mean in each frame of each shot."""
    return numpy.array([[luma[mask].mean() for luma in shot] for shot, mask in zip(shots, masks, strict=True)])


def steepest(shots: list[numpy.ndarray]) -> int:
    """The greatest rise, from one level to the next, of tables of a period; those of more frames are their means."""
    sums = [shot[first : first + PERIOD] for shot in shots for first in range(FRAMES - PERIOD + 1)]
    return max(int(numpy.diff(equalization.lookup_table(frames, 255).astype(int)).max()) for frames in sums)


def misread(input_shots: list, levels: numpy.ndarray, stills: list, masks: list) -> float:
    """How far the curve lies, at most, from the one read from the background's levels by the inverse of one table."""
    table = equalization.lookup_table(numpy.concatenate([shot.ravel() for shot in input_shots]), 255)
    gains = numpy.linspace(0.4, 1.2, 801)
    furthest = 0
    for still, mask, shot in zip(stills, masks, levels, strict=True):
        expected = [table[numpy.rint(still[mask] * gain).clip(0, 255).astype(int)].mean() for gain in gains]
        furthest = max(furthest, float(numpy.abs(numpy.interp(shot, expected, gains) - GAIN).max()))
    return furthest


def judge(clip: str, made: dict, levels: dict[str, numpy.ndarray]) -> tuple[dict[str, str], list[str]]:
    """Figures of a clip for each way, and what is wrong with them."""
    holds = numpy.diff(GAIN[WHOLE_SUMS]) == 0 if clip == LIGHT else slice(None)
    steps = {way: numpy.abs(numpy.diff(level[:, WHOLE_SUMS])) for way, level in levels.items()}
    change = {way: step[:, holds].mean() for way, step in steps.items()}
    stretched = steepest(made[INPUT]) * change[INPUT]
    exchanged = numpy.abs(levels[ALONE][:, PERIOD:] - levels[ALONE][:, :-PERIOD]).mean() / PERIOD
    cells, wrong = {way: f"{change[way]:.3f}" for way in (INPUT, ALONE)}, []
    for way in MERGED:
        bound = stretched + (exchanged if way == SMOOTH else 0)
        cells[way] = f"{change[way]:.3f} <= {bound:.3f}"
        if change[way] > bound:
            wrong.append(f"{clip}, {way}: the background changes by {change[way]:.3f}, more than {bound:.3f}")
        if change[ALONE] < 2 * bound:
            wrong.append(f"{clip}: {change[ALONE]:.3f} with {ALONE} is not twice the {bound:.3f} of {way}")
        # One table makes the mean of the film even, others that of each shot; by a hundredth of the range.
        off = numpy.array([numpy.mean(a) - numpy.mean(b) for a, b in zip(made[way], made[ALONE], strict=True)])
        off = abs(off.mean()) if way == ONE else numpy.abs(off).max()
        if off > 2.55:
            wrong.append(f"{clip}, {way}: the mean level is {off:.1f} off that of {ALONE}: not equalized")
    if clip == LIGHT:
        for way, step in steps.items():
            cells[way] = f"{cells[way]:19}{step.mean():12.3f}"
    return cells, wrong


def check(tool: str, device: str, film: Path, folder: Path) -> int:
    shots = [filmed(film, *shot) for shot in SHOTS]
    views = [lumas(shot) for shot in shots]
    masks = [view.max(axis=0) - view.min(axis=0) <= NOISE for view in views]
    for mask in masks:
        mask[:TOP] = False
    clips = {FILMED: shots, LAMP: [dimmed(shot, TOP) for shot in shots], LIGHT: [dimmed(shot) for shot in shots]}
    columns, wrong = [], []
    for number, (clip, pictures) in enumerate(clips.items()):
        made = equalized(tool, device, pictures, folder / str(number))
        levels = {way: background(result, masks) for way, result in made.items()}
        cells, faults = judge(clip, made, levels)
        columns.append(cells)
        wrong += faults
    print("mean step of the background while its light holds, of 255, and what is allowed")
    print(f"{'':18}{FILMED:18}{LAMP:18}{LIGHT:19}{'every step':>12}")
    for way in (INPUT, ALONE, *MERGED):
        print(f"{way:18}" + "".join(f"{cells[way]:18}" for cells in columns).rstrip())
    # A level more or less, in the background's mean as filmed, is all that samples can tell of a gain.
    stills = [numpy.median(view, axis=0) for view in views]
    error, level = misread(made[INPUT], levels[ONE], stills, masks), 1 / background(views, masks).mean()
    print(f"gain read from what one table made: at most {error:.4f} off the curve; one level is {level:.4f}")
    if error > level:
        wrong.append(f"the curve read from what one table made is {error:.4f} off, more than a level")
    share = ", ".join(f"{mask.mean():.0%}" for mask in masks)
    print(f"{len(clips)} clips of {FRAMES * len(shots)} frames, of which {share} are background")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong or not all(mask.any() for mask in masks) else 0


def main() -> int:
    parser = command.parser(DESCRIPTION)
    parser.add_argument("--film", type=Path, help=f"a copy of {FILM}, instead of that of {PACKAGE}")
    parser.add_argument("--device", default="software", help="as given to Safelight")
    parser.add_argument("tool", nargs="?", default=".build/release/safelight", help="the program safelight")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            film = arguments.film or footage(Path(folder))
            if film is None:
                print(f"{parser.prog}: SKIPPED: there is no {FILM}; {REMEDY}", file=sys.stderr)
                return 75
            return check(arguments.tool, arguments.device, film, Path(folder))
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"{parser.prog}: {problem}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
