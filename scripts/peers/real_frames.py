"""A sequence of real 1080p frames: a camera that pans over a wall of scikit-image's photographs."""

import importlib.util
import pathlib
import sys

import cv2
import numpy

SIZE = (1920, 1080)
# Photographs in colour; the names are files of scikit-image's wheel.
PHOTOGRAPHS = [
    "coffee.png",
    "motorcycle_left.png",
    "astronaut.png",
    "rocket.jpg",
    "chelsea.png",
    "ihc.png",
    "hubble_deep_field.jpg",
    "retina.jpg",
]
SHELF = 400
# The window moves by so many columns and rows a frame.
PACE = (8, 4)


def wall(width: int, height: int) -> numpy.ndarray:
    """Shelves of photographs at their own scale, which keeps the camera's noise; each begins with another one."""
    package = importlib.util.find_spec("skimage")
    if package is None or not package.submodule_search_locations:
        raise FileNotFoundError("scikit-image's wheel is not installed")
    folder = pathlib.Path(package.submodule_search_locations[0]) / "data"
    tiles = []
    for name in PHOTOGRAPHS:
        picture = cv2.imread(str(folder / name), cv2.IMREAD_COLOR)
        if picture is None:
            raise FileNotFoundError(f"{folder / name}: no such photograph")
        rows = numpy.arange(SHELF) % picture.shape[0]
        tiles.append(picture[rows])
    shelves = []
    for number in range(-(-height // SHELF)):
        order = [tiles[(number * 3 + place) % len(tiles)] for place in range(len(tiles))]
        shelf = numpy.hstack(order)
        if shelf.shape[1] < width:
            raise ValueError(f"a shelf has {shelf.shape[1]} columns, and {width} are needed")
        shelves.append(shelf[:, :width])
    return numpy.vstack(shelves)[:height]


def make(folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """Writes frames 0001.png to COUNT.png as most programs do: level 6, adaptive filters."""
    # The pan turns back at the wall's edges, so that any count has a window.
    reach = 60
    canvas = wall(SIZE[0] + PACE[0] * reach, SIZE[1] + PACE[1] * reach)
    paths = []
    for frame in range(count):
        step = frame % (2 * reach)
        step = min(step, 2 * reach - step)
        x, y = PACE[0] * step, PACE[1] * step
        path = folder / f"{frame + 1:04d}.png"
        settings = [cv2.IMWRITE_PNG_COMPRESSION, 6, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_ALL_FILTERS]
        cv2.imwrite(str(path), canvas[y : y + SIZE[1], x : x + SIZE[0]], settings)
        paths.append(path)
    return paths


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
