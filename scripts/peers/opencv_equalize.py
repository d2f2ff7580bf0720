"""What a user of OpenCV writes: equalizes each channel of every PNG of a folder with a pool of threads or processes.

Pictures of 16 bits and with alpha, which equalizeHist does not take, are written as they are."""

import concurrent.futures
import functools
import pathlib
import sys

import cv2
import numpy


def equalize(output: pathlib.Path, path: pathlib.Path) -> None:
    # One worker, one CPU: the pool alone is parallel.
    cv2.setNumThreads(1)
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture.dtype == numpy.uint8 and picture.shape[2:] != (4,):
        picture = cv2.merge([cv2.equalizeHist(plane) for plane in cv2.split(picture)])
    if not cv2.imwrite(str(output / path.name), picture):
        raise OSError(f"{output / path.name}: not written")


def main() -> None:
    source, output, workers, kind = sys.argv[1:]
    pools = {
        "threads": concurrent.futures.ThreadPoolExecutor,
        "processes": concurrent.futures.ProcessPoolExecutor,
    }
    with pools[kind](int(workers)) as pool:
        list(pool.map(functools.partial(equalize, pathlib.Path(output)), sorted(pathlib.Path(source).glob("*.png"))))


if __name__ == "__main__":
    main()
