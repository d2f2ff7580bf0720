"""Metrics of two pictures by their published formulas, in NumPy's floats of 64 bits."""

import numpy as np
from scipy.ndimage import correlate1d

SSIM_TAPS = np.exp(-(np.arange(-5, 6) ** 2) / 4.5)
SSIM_TAPS /= SSIM_TAPS.sum()
SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def luma(picture):
    """Y of BT.601, not rounded."""
    return picture.astype(np.float64) @ np.array([0.299, 0.587, 0.114])


def _blurred(plane):
    both = correlate1d(correlate1d(plane, SSIM_TAPS, axis=0), SSIM_TAPS, axis=1)
    return both[5:-5, 5:-5]


def _similarity_and_contrast(a, b):
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_a, mean_b = _blurred(a), _blurred(b)
    variance_a = _blurred(a * a) - mean_a**2
    variance_b = _blurred(b * b) - mean_b**2
    covariance = _blurred(a * b) - mean_a * mean_b
    contrast = (2 * covariance + c2) / (variance_a + variance_b + c2)
    lightness = (2 * mean_a * mean_b + c1) / (mean_a**2 + mean_b**2 + c1)
    return (lightness * contrast).mean(), contrast.mean()


def ssim(a, b):
    """Wang, Bovik, Sheikh, Simoncelli 2004, of two planes."""
    return _similarity_and_contrast(a, b)[0]


def _halved(plane):
    height, width = plane.shape
    plane = np.pad(plane, ((0, height % 2), (0, width % 2)), mode="edge")
    return (plane[0::2, 0::2] + plane[1::2, 0::2] + plane[0::2, 1::2] + plane[1::2, 1::2]) / 4


def msssim(a, b):
    """Wang, Simoncelli, Bovik 2003, of two planes."""
    product = 1.0
    for scale, weight in enumerate(SCALE_WEIGHTS):
        similarity, contrast = _similarity_and_contrast(a, b)
        product *= max(similarity if scale == 4 else contrast, 0) ** weight
        a, b = _halved(a), _halved(b)
    return product


# FLIP: Andersson et al. 2020, at 67 pixels a degree.
PIXELS_PER_DEGREE = 3840 * np.pi / 180
TO_XYZ = np.array(
    [
        [10135552 / 24577794, 8788810 / 24577794, 4435075 / 24577794],
        [2613072 / 12288897, 8788810 / 12288897, 887015 / 12288897],
        [1425312 / 73733382, 8788810 / 73733382, 70074185 / 73733382],
    ]
)
FROM_XYZ = np.linalg.inv(TO_XYZ)
ILLUMINANT = np.array([0.950428545, 1.0, 1.088900371])


def _linear(samples):
    return np.where(samples <= 0.04045, samples / 12.92, ((samples + 0.055) / 1.055) ** 2.4)


def _opponent(linear):
    x, y, z = np.moveaxis(linear @ TO_XYZ.T / ILLUMINANT, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def _linear_of_opponent(opponent):
    y = (opponent[..., 0] + 16) / 116
    xyz = np.stack([y + opponent[..., 1] / 500, y, y - opponent[..., 2] / 200], -1)
    return xyz * ILLUMINANT @ FROM_XYZ.T


def _hunt_adjusted_lab(linear):
    xyz = linear @ TO_XYZ.T / ILLUMINANT
    knee = 6 / 29
    roots = np.where(xyz > knee**3, np.cbrt(np.maximum(xyz, 0)), xyz / (3 * knee**2) + 4 / 29)
    x, y, z = np.moveaxis(roots, -1, 0)
    lightness = 116 * y - 16
    return np.stack([lightness, 500 * (x - y) * 0.01 * lightness, 200 * (y - z) * 0.01 * lightness], -1)


def _hyab(a, b):
    difference = a - b
    return np.abs(difference[..., 0]) + np.hypot(difference[..., 1], difference[..., 2])


def _filtered(plane, across, down):
    return correlate1d(correlate1d(plane, across, axis=1, mode="nearest"), down, axis=0, mode="nearest")


def _seen_from_afar(opponent):
    radius = int(np.ceil(3 * np.sqrt(0.04 / (2 * np.pi**2)) * PIXELS_PER_DEGREE))
    degrees = np.arange(-radius, radius + 1) / PIXELS_PER_DEGREE

    def gaussian(b):
        return np.exp(-(np.pi**2) * degrees**2 / b)

    seen = np.empty_like(opponent)
    for channel, b in ((0, 0.0047), (1, 0.0053)):
        taps = gaussian(b) / gaussian(b).sum()
        seen[..., channel] = _filtered(opponent[..., channel], taps, taps)
    parts = [(a * np.sqrt(np.pi / b), gaussian(b)) for a, b in ((34.1, 0.04), (13.5, 0.025))]
    volume = sum(weight * taps.sum() ** 2 for weight, taps in parts)
    seen[..., 2] = sum(weight / volume * _filtered(opponent[..., 2], taps, taps) for weight, taps in parts)
    return seen


def _features(opponent):
    deviation = 0.5 * 0.082 * PIXELS_PER_DEGREE
    radius = int(np.ceil(3 * deviation))
    offsets = np.arange(-radius, radius + 1.0)
    gaussian = np.exp(-(offsets**2) / (2 * deviation**2))
    plain = gaussian / gaussian.sum()
    lightness = (opponent[..., 0] + 16) / 116
    features = []
    for taps in (-offsets * gaussian, (offsets**2 / deviation**2 - 1) * gaussian):
        taps = np.where(taps > 0, taps / taps[taps > 0].sum(), taps / -taps[taps < 0].sum())
        features.append(np.hypot(_filtered(lightness, taps, plain), _filtered(lightness, plain, taps)))
    return features


def flip(expected, actual):
    """The LDR-FLIP map of two sRGB pictures of 8 bits."""
    a, b = (_opponent(_linear(picture.astype(np.float64) / 255)) for picture in (expected, actual))
    colors = [_hunt_adjusted_lab(np.clip(_linear_of_opponent(_seen_from_afar(picture)), 0, 1)) for picture in (a, b)]
    primaries = _hunt_adjusted_lab(np.array([[0.0, 1, 0], [0, 0, 1]]))
    greatest = _hyab(primaries[0], primaries[1]) ** 0.7
    error = _hyab(*colors) ** 0.7
    knee = 0.4 * greatest
    color_error = np.where(
        error < knee, error * 0.95 / knee, 0.95 + (error - knee) / (greatest - knee) * 0.05
    )
    (edges_a, points_a), (edges_b, points_b) = _features(a), _features(b)
    feature_error = np.sqrt(np.maximum(np.abs(edges_a - edges_b), np.abs(points_a - points_b)) / np.sqrt(2))
    return color_error ** (1 - feature_error)
