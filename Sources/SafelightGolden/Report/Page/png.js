// The samples of a PNG file as they are stored: a canvas would multiply them by alpha and cut them to 8 bits.
// The report's own writer is the only source: 8 or 16 bits, no palette, not interlaced (PNG 3rd edition, 9.2 and 10).

async function decodePNG(bytes) {
  const { header, data } = readChunks(bytes);
  const width = header.getUint32(0), height = header.getUint32(4), depth = header.getUint8(8);
  const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[header.getUint8(9)];
  const inflated = new Blob(data).stream().pipeThrough(new DecompressionStream("deflate"));
  const rows = new Uint8Array(await new Response(inflated).arrayBuffer());
  const plain = unfilter(rows, height, width * channels * depth / 8, channels * depth / 8);
  return { width, height, depth, channels, samples: depth === 8 ? plain : bigEndian(plain) };
}

function readChunks(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data = [];
  let header;
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at), type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (type === "IHDR") header = new DataView(bytes.buffer, bytes.byteOffset + at + 8, length);
    if (type === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return { header, data };
}

function unfilter(rows, height, stride, pixel) {
  const out = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)], from = y * (stride + 1) + 1, to = y * stride;
    for (let i = 0; i < stride; i++) {
      const a = i >= pixel ? out[to + i - pixel] : 0;
      const b = y > 0 ? out[to + i - stride] : 0;
      const c = i >= pixel && y > 0 ? out[to + i - stride - pixel] : 0;
      const guess = filter === 0 ? 0 : filter === 1 ? a : filter === 2 ? b : filter === 3 ? (a + b) >> 1 : paeth(a, b, c);
      out[to + i] = rows[from + i] + guess;
    }
  }
  return out;
}

function paeth(a, b, c) {
  const pa = Math.abs(b - c), pb = Math.abs(a - c), pc = Math.abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

function bigEndian(bytes) {
  const out = new Uint16Array(bytes.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = bytes[2 * i] << 8 | bytes[2 * i + 1];
  return out;
}
