"""Writes what other programs measure between pictures made from integers."""
# Packages: metrics_requirements.txt

import argparse
import json
import pathlib
import sys

import flip_evaluator
import metrics
import numpy as np
import skimage.metrics

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "golden" / "metrics" / "vectors.json"
COMMENT = (
    "What scikit-image 0.26.0 (SSIM, PSNR), flip-evaluator 1.7 (flipMean, in single precision) and numpy 2.4.6 with "
    "scipy 1.17.1 (all else, in double precision) say of pictures made from integers; fixtures/README.md names the "
    "formulas."
)
TOLERANCES = {
    "maxAbs": "exact", "pxOver0": "exact", "pxOver2": "exact", "meanAbs": 1e-9, "mse": 1e-9, "rmse": 1e-9,
    "psnr": 1e-9, "ssimY601": 1e-7, "ssimRGB": 1e-7, "msssimY601": 1e-6, "flipMean": 1e-5, "flip64Mean": 1e-6,
    "flip64P99": 1e-5, "flip64Max": 1e-5,
}  # fmt: skip

DESCRIPTION = """\
Writes fixtures/golden/metrics/vectors.json: pictures and mutations made from integers, and how far they are apart by
each metric. NumPy computes by the published formulas; scikit-image and NVIDIA's flip-evaluator must agree with it.
Safelight has no part in it."""


def picture(name, width, height):
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    if name == "hash":
        return np.stack([(4 * x + y) & 255, (x * y) & 255, ((x ^ y) * 5) & 255], -1).astype(np.uint8)
    red, green, blue = x * 255 // (width - 1), y * 255 // (height - 1), (x + y) * 255 // (width + height - 2)
    disc = (x - width // 2) ** 2 + (y - height // 2) ** 2 < (min(width, height) // 3) ** 2
    return np.stack([np.where(disc, 255 - red, red), green, np.where(disc, 64, blue)], -1).astype(np.uint8)


def mutated(original, mutation):
    height, width, _ = original.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    result = original.astype(np.int64)
    if mutation == "r+3":
        result[..., 0] += 3
    elif mutation == "noise4":
        for c in range(3):
            mixed = ((x * 73856093) ^ (y * 19349663) ^ (c * 83492791)) & 0xFFFFFFFF
            result[..., c] += (mixed >> 13) % 9 - 4
    elif mutation == "shift1":
        result = result[:, np.maximum(np.arange(width) - 1, 0)]
    elif mutation == "one200":
        result[11, 17, 1] += -200 if result[11, 17, 1] >= 200 else 200
    elif mutation == "box3":
        padded = np.pad(result, ((1, 1), (1, 1), (0, 0)), mode="edge")
        total = sum(padded[dy : dy + height, dx : dx + width] for dy in range(3) for dx in range(3))
        result = (2 * total + 9) // 18
    return np.clip(result, 0, 255).astype(np.uint8)


def agreed(name, ours, theirs, tolerance):
    if abs(ours - theirs) > tolerance:
        raise SystemExit(f"freeze-metrics: {name} is {ours} by its formula and {theirs} by the other program")
    return float(ours)


def skimage_ssim(a, b, **options):
    return skimage.metrics.structural_similarity(
        a, b, data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, **options
    )


def vector(name, width, height, mutation):
    a = picture(name, width, height)
    b = mutated(a, mutation)
    distance = np.abs(a.astype(int) - b.astype(int))
    mse = float((distance.astype(float) ** 2).mean())
    luma_a, luma_b = metrics.luma(a), metrics.luma(b)
    by_channel = np.mean([metrics.ssim(a[..., c].astype(float), b[..., c].astype(float)) for c in range(3)])
    flip = metrics.flip(a, b)
    _, flip_mean, _ = flip_evaluator.evaluate(
        a.astype(np.float32) / 255, b.astype(np.float32) / 255, "LDR", applyMagma=False
    )
    agreed("FLIP", flip.mean(), flip_mean, 1e-5)
    result = {
        "ref": name, "w": width, "h": height, "mut": mutation, "maxAbs": int(distance.max()),
        "meanAbs": float(distance.mean()), "mse": mse, "rmse": mse**0.5,
        "psnr": agreed(
            "PSNR", 10 * np.log10(255**2 / mse), skimage.metrics.peak_signal_noise_ratio(a, b, data_range=255), 1e-9
        ),
        "pxOver0": int((distance.max(-1) > 0).sum()), "pxOver2": int((distance.max(-1) > 2).sum()),
        "ssimY601": agreed("SSIM", metrics.ssim(luma_a, luma_b), skimage_ssim(luma_a, luma_b), 1e-9),
        "ssimRGB": agreed("SSIM", by_channel, skimage_ssim(a, b, channel_axis=2), 1e-9),
    }  # fmt: skip
    if min(width, height) >= 176:
        result["msssimY601"] = float(metrics.msssim(luma_a, luma_b))
    result |= {
        "flipMean": float(flip_mean), "flip64Mean": float(flip.mean()),
        "flip64P99": float(np.percentile(flip, 99, method="inverted_cdf")), "flip64Max": float(flip.max()),
    }  # fmt: skip
    return result


def same(frozen, computed):
    def near(key, a, b):
        tolerance = TOLERANCES.get(key, "exact")
        return a == b if tolerance == "exact" else abs(a - b) <= tolerance / 10

    return len(frozen) == len(computed) and all(
        a.keys() == b.keys() and all(near(key, a[key], b[key]) for key in a)
        for a, b in zip(frozen, computed, strict=True)
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="freeze-metrics", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is out of date")
    arguments = parser.parse_args()

    vectors = [
        vector(name, width, height, mutation)
        for name, width, height in (("hash", 64, 48), ("smooth", 64, 48), ("hash", 192, 192), ("smooth", 192, 192))
        for mutation in ("r+3", "noise4", "shift1", "one200", "box3")
    ]
    if arguments.check:
        frozen = json.loads(VECTORS.read_text())["vectors"] if VECTORS.exists() else []
        is_same = same(frozen, vectors)
        print(f"{len(vectors)} vectors, {'as frozen' if is_same else 'which differ from those frozen'}")
        return 0 if is_same else 1
    VECTORS.parent.mkdir(parents=True, exist_ok=True)
    VECTORS.write_text(json.dumps({"comment": COMMENT, "tolerances": TOLERANCES, "vectors": vectors}, indent=1) + "\n")
    print(f"{len(vectors)} vectors frozen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
