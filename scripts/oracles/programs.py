"""The programs whose equalization Safelight's rules reproduce: each takes and gives planes of samples.

Colour planes alone go to a program; alpha, where there is one, stays. With `luma` a program equalizes the plane of luma
as a grey picture, and the chroma is kept by the integers of `equalization`.
"""

from collections.abc import Callable

import cv2
import numpy
import PIL
import pyvips
from PIL import Image, ImageOps

import equalization
from samples import Picture

Planes = numpy.ndarray  # (height, width, planes), uint8 or uint16


def opencv(planes: Planes) -> Planes:
    """cv2.equalizeHist, plane by plane: it takes one."""
    return numpy.dstack([cv2.equalizeHist(numpy.ascontiguousarray(planes[:, :, i])) for i in range(planes.shape[2])])


def pillow(planes: Planes) -> Planes:
    """ImageOps.equalize of a picture of mode L or RGB."""
    picture = Image.fromarray(planes[:, :, 0] if planes.shape[2] == 1 else planes)
    return numpy.asarray(ImageOps.equalize(picture)).reshape(planes.shape)


def libvips(planes: Planes) -> Planes:
    """hist_equal of all bands together."""
    height, width, bands = planes.shape
    kind = "uchar" if planes.dtype == numpy.uint8 else "ushort"
    picture = pyvips.Image.new_from_memory(planes.tobytes(), width, height, bands, kind)
    return numpy.frombuffer(picture.hist_equal().write_to_memory(), dtype=planes.dtype).reshape(planes.shape)


#: The rules, with the depths that their programs take.
RULES: dict[str, tuple[Callable[[Planes], Planes], set[int]]] = {
    "opencv": (opencv, {8}),
    "pillow": (pillow, {8}),
    "libvips": (libvips, {8, 16}),
}

VERSIONS = {
    "opencv": f"OpenCV {cv2.__version__}",
    "pillow": f"Pillow {PIL.__version__}",
    "libvips": "libvips " + ".".join(str(pyvips.version(part)) for part in range(3)),
}


def takes(rule: str, picture: Picture) -> bool:
    """Whether the rule's program takes pictures of this depth."""
    return picture.bits in RULES[rule][1]


def equalize(rule: str, picture: Picture, channels: str) -> Picture:
    """What the rule's program makes of `picture`."""
    return applied(RULES[rule][0], picture, channels)


def clahe(picture: Picture, clip: float, columns: int, rows: int, channels: str) -> Picture:
    """What cv2.createCLAHE makes of `picture`, plane by plane: it takes one."""
    kernel = cv2.createCLAHE(clip, (columns, rows))

    def run(planes: Planes) -> Planes:
        return numpy.dstack([kernel.apply(numpy.ascontiguousarray(planes[:, :, i])) for i in range(planes.shape[2])])

    return applied(run, picture, channels)


def applied(run: Callable[[Planes], Planes], picture: Picture, channels: str) -> Picture:
    """`picture` with its colours as `run` makes them."""
    kind = numpy.uint8 if picture.bits == 8 else numpy.uint16
    result = picture.samples.copy()
    colors = picture.color_channels
    if channels == "luma" and colors == 3:
        luma = equalization.luma(picture)
        equalized = run(luma.astype(kind)[:, :, None])[:, :, 0]
        result[:, :, :3] = equalization.with_luma(picture, luma, equalized)
    else:
        result[:, :, :colors] = run(numpy.ascontiguousarray(picture.samples[:, :, :colors].astype(kind)))
    return picture.with_samples(result)
