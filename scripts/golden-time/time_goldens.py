"""Makes pictures that differ from a golden in every way that has a name, and times the test of each; see
check-golden-time."""

import os
import random
import resource
import struct
import subprocess
import sys
import zlib

WIDTH, HEIGHT = 1920, 1080
MOST = 2.0


def write(path, rows, samples):
    """Writes rows of 8-bit samples as a PNG file: three samples a pixel are colors, four have alpha."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, {1: 0, 3: 2, 4: 6}[samples], 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def noise(samples):
    source = random.Random(samples)
    return [source.randbytes(WIDTH * samples) for _ in range(HEIGHT)]


def moved(rows, samples):
    """Two columns to the right and two rows down: the last move that is looked for."""
    return rows[:2] + [row[: 2 * samples] + row[: -2 * samples] for row in rows[:-2]]


def swapped(rows):
    swapped = []
    for row in rows:
        row = bytearray(row)
        row[0::3], row[2::3] = row[2::3], row[0::3]
        swapped.append(bytes(row))
    return swapped


def one_off(rows):
    """A sample near the last: a search from the top has to come that far."""
    row = rows[-4]
    return rows[:-4] + [row[:-16] + bytes([row[-16] ^ 8]) + row[-15:]] + rows[-3:]


def brighter(rows):
    return [row.translate(bytes(min(255, value + 1) for value in range(256))) for row in rows]


def cases():
    """Yields for each case its name, samples a pixel, expected and actual rows, and the options of `golden approve`."""
    color = [bytes([90] * WIDTH * 3)] * (HEIGHT - 1) + [bytes(WIDTH * 3)]
    ramp = [bytes(x * 255 // WIDTH for x in range(WIDTH) for _ in "rgb")] * HEIGHT
    yield "one sample of one color and its edge", 3, color, one_off(color), []
    for samples, kind in [(1, "gray"), (3, "colors"), (4, "colors and alpha")]:
        yield f"one sample of noise, {kind}", samples, noise(samples), one_off(noise(samples)), []
    yield "noise moved by two pixels", 3, noise(3), moved(noise(3), 3), []
    yield "red and blue swapped", 3, noise(3), swapped(noise(3)), []
    yield "every sample one step off", 3, ramp, brighter(ramp), []
    yield "another picture", 4, noise(4), moved(noise(4), 4)[::-1], []
    yield "another picture, with a mask", 4, noise(4), moved(noise(4), 4)[::-1], ["--mask", "8,8,1600,800"]
    terms = "max<=3 && over(1)<=0.1% && bias<=0.1 && window(8,1)<=10% && line(1)<=5% && psnr>=40"
    yield "another picture, with six terms", 3, ramp, noise(3), ["--tolerance", terms]


def main():
    safelight, tests, folder = sys.argv[1:]
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    slow = []
    for number, (name, samples, expected, actual, options) in enumerate(cases()):
        place = os.path.join(folder, str(number))
        made, goldens, picture = (os.path.join(place, part) for part in ("made", "goldens", "actual.png"))
        os.makedirs(made)
        write(os.path.join(made, "full.png"), expected, samples)
        write(picture, actual, samples)
        for command in [["record", goldens, made], ["approve", goldens, made, "full", *options, "--reason", "timed"]]:
            subprocess.run(
                [safelight, "golden", *command], env=environment, check=True, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(
            [tests, "--testing-library", "swift-testing", "--filter", r"ChildTests/comparesAFile\(",
             "--attachments-path", place],
            env={**environment, "SAFELIGHT_CHILD_GOLDENS": goldens, "SAFELIGHT_CHILD_PICTURE": picture},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if "golden: 1 compared: 0 exact, 0 within, 1 differ" not in run.stdout:
            sys.exit(f"check-golden-time: {name}: the test did not find a difference:\n{run.stdout}")
        print(f"{seconds:6.2f} s  {name}", flush=True)
        if seconds > MOST:
            slow.append(name)
    if slow:
        sys.exit(f"check-golden-time: more than {MOST} s: {', '.join(slow)}")
    print(f"check-golden-time: all within {MOST} s")


if __name__ == "__main__":
    main()
