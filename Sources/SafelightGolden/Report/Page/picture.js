// Pictures as the screen shows them, made from the samples of both sides.

const channelNames = { 1: ["gray"], 2: ["gray", "alpha"], 3: ["red", "green", "blue"], 4: ["red", "green", "blue", "alpha"] };

/** The picture of a case that the page carries under `role`; null if there is none. */
async function embedded(index, role) {
  const element = document.getElementById(`picture-${index}-${role}`);
  if (!element) return null;
  return decodePNG(Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0)));
}

/** A canvas of the size of `picture` on which `paint(pixel, color, at)` has set four bytes from `at` on for every pixel. */
function painted({ width, height }, paint) {
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d");
  const data = context.createImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel++) paint(pixel, data.data, pixel * 4);
  context.putImageData(data, 0, 0);
  return canvas;
}

/** `picture`, hatched where `mask` leaves it out. */
function shown(picture, mask) {
  const { channels, samples, depth } = picture, shift = depth - 8, colors = channels < 3 ? 1 : 3;
  return painted(picture, (pixel, out, at) => {
    const from = pixel * channels;
    for (let c = 0; c < 3; c++) out[at + c] = samples[from + (colors === 3 ? c : 0)] >> shift;
    out[at + 3] = channels % 2 ? 255 : samples[from + channels - 1] >> shift;
    if (mask?.samples[pixel] && (pixel % picture.width + Math.floor(pixel / picture.width)) % 8 < 3) out.set([128, 128, 128, 255], at);
  });
}

const equalGray = 118;

/** The difference of the channel that differs most: red where actual is greater, blue where it is less, gray where equal. */
function signedDifference(expected, actual, mask, gain) {
  const { channels, depth } = expected, scale = gain / (2 ** depth - 1);
  return painted(expected, (pixel, out, at) => {
    let most = 0;
    for (let i = pixel * channels; i < (pixel + 1) * channels && !mask?.samples[pixel]; i++) {
      const d = actual.samples[i] - expected.samples[i];
      if (Math.abs(d) > Math.abs(most)) most = d;
    }
    const share = Math.min(1, Math.abs(most) * scale), end = most > 0 ? [255, 48, 32] : [40, 112, 255];
    for (let c = 0; c < 3; c++) out[at + c] = equalGray + (end[c] - equalGray) * share;
    out[at + 3] = 255;
  });
}

/** The amount of the difference, channel by channel; a difference of alpha alone is white. */
function absoluteDifference(expected, actual, mask, gain) {
  const { channels, depth } = expected, scale = 255 * gain / (2 ** depth - 1), colors = channels < 3 ? 1 : 3;
  return painted(expected, (pixel, out, at) => {
    const from = pixel * channels, counts = mask?.samples[pixel] ? 0 : scale;
    const amount = (i) => Math.abs(actual.samples[i] - expected.samples[i]) * counts;
    const alpha = channels % 2 ? 0 : amount(from + channels - 1);
    for (let c = 0; c < 3; c++) out[at + c] = Math.max(alpha, amount(from + (colors === 3 ? c : 0)));
    out[at + 3] = 255;
  });
}

/**
 * The canvases in which a picture of differences is drawn small: in each, a pixel is that of four which is furthest from `equal`, so that
 * a single wrong pixel is seen at any size.
 */
function reductions(canvas, equal) {
  const levels = [canvas];
  for (let level = canvas; level.width > 64 || level.height > 64;) levels.push(level = halved(level, equal));
  return levels;
}

function halved(canvas, equal) {
  const { width, height } = canvas, from = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const far = (at) => Math.abs(from[at] - equal) + Math.abs(from[at + 1] - equal) + Math.abs(from[at + 2] - equal);
  const size = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  return painted(size, (pixel, out, at) => {
    const x = pixel % size.width * 2, y = Math.floor(pixel / size.width) * 2;
    let most = (y * width + x) * 4;
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1]]) {
      const other = ((y + dy) * width + x + dx) * 4;
      if (x + dx < width && y + dy < height && far(other) > far(most)) most = other;
    }
    for (let c = 0; c < 4; c++) out[at + c] = from[most + c];
  });
}

/** FLIP's map in the colors that its authors use: magma, here between seventeen of its colors. */
function heat(map) {
  const stops = ["000004", "0b0924", "20114b", "3b0f70", "57157e", "721f81", "8c2981", "a8327d", "c43c75", "de4968", "f1605d", "fa7f5e",
    "fe9f6d", "febf84", "fddea0", "fcfdbf", "fcfdbf"].map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  const peak = 2 ** map.depth - 1;
  return painted(map, (pixel, out, at) => {
    const place = map.samples[pixel * map.channels] / peak * 15, low = Math.floor(place), part = place - low;
    for (let c = 0; c < 3; c++) out[at + c] = stops[low][c] + (stops[low + 1][c] - stops[low][c]) * part;
    out[at + 3] = 255;
  });
}
