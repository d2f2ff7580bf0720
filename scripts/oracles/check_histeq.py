"""Compares `safelight equalize --rule ffmpeg` with ffmpeg's histeq, on pictures made for what they might round differently."""
# Packages: programs.txt

import subprocess
import sys
from pathlib import Path

import command
import histeq
import samples
from check_equalization_rules import pictures, write

DESCRIPTION = """\
Makes the pictures of 8 bits of check-equalization-rules, lets ffmpeg's histeq equalize them at several strengths and
intensities, and compares every sample with what `safelight equalize --rule ffmpeg` writes. Where pixels times
intensity need more than 31 bits, ffmpeg has no defined result, and is not asked."""

SETTINGS = histeq.SETTINGS + [(0, 1), (1, 0), (0.255, 0.333), (0.29, 0.57), (0.9, 0.05), (1, 0.1)]


def check(tool: str, device: str, folder: Path) -> int:
    source = folder / "pictures"
    source.mkdir()
    for name, made, bits in pictures():
        if bits == 8:
            write(source / f"{name}.png", made, bits)
    unequal = compared = 0
    for strength, intensity in SETTINGS:
        to = folder / f"{strength}-{intensity}"
        options = ["--rule", "ffmpeg", "--strength", str(strength), "--intensity", str(intensity)]
        options += ["--device", device, "--progress", "none"]
        subprocess.run([tool, "equalize", source, "-o", to, *options], check=True)
        for path in sorted(source.glob("*.png")):
            picture = samples.read(path)
            height, width, _ = picture.samples.shape
            if height * width * intensity * 1000 >= 1 << 31:
                continue
            expected = histeq.equalize(picture, strength, intensity).samples
            differing = int((samples.read(to / path.name).samples != expected).sum())
            compared += 1
            if differing:
                unequal += 1
                print(f"strength {strength} intensity {intensity} {path.stem}: {differing} of {expected.size} samples differ")
    print(f"{compared} pictures, {unequal} differ; {histeq.version()}")
    return 1 if unequal or not compared else 0


if __name__ == "__main__":
    sys.exit(command.check_tool(DESCRIPTION, check))
