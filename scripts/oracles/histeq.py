"""ffmpeg's histeq, through the program ffmpeg, and the settings that Safelight is compared at."""

import subprocess

import numpy

from samples import Picture

#: Strength and intensity.
SETTINGS = [(0, 0), (0.2, 0.21), (0.5, 0.8), (1, 1)]


def version() -> str:
    """The program and its version; what the distribution appends is left out."""
    run = subprocess.run(["ffmpeg", "-version"], stdout=subprocess.PIPE, text=True, check=True)
    return "ffmpeg " + run.stdout.split()[2].split("-")[0]


def filter_text(strength: float, intensity: float) -> str:
    """Safelight's filter of the same settings."""
    return f"equalize=rule=ffmpeg:strength={strength}:intensity={intensity}"


def equalize(picture: Picture, strength: float, intensity: float) -> Picture:
    """What histeq makes of the colours of `picture`, grey as three equal samples; alpha, where histeq leaves its luma, stays."""
    colors = picture.color_channels
    height, width, _ = picture.samples.shape
    given = numpy.full((height, width, 4), 255, numpy.uint8)
    given[:, :, :3] = picture.samples[:, :, :colors]
    run = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{width}x{height}", "-i", "-"]
        + ["-vf", f"histeq=strength={strength}:intensity={intensity}:antibanding=none"]
        + ["-f", "rawvideo", "-pix_fmt", "rgba", "-"],
        input=given.tobytes(), stdout=subprocess.PIPE, check=True,
    )
    made = numpy.frombuffer(run.stdout, numpy.uint8).reshape(given.shape)
    result = picture.samples.copy()
    result[:, :, :colors] = made[:, :, :colors]
    return picture.with_samples(result)
