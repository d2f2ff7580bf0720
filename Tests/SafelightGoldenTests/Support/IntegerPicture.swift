import SafelightImage

/// An 8-bit picture of red, green and blue, made from integers as `fixtures/README.md` describes for `golden/metrics/`.
struct IntegerPicture: Sendable {
  let size: Size
  let value: @Sendable (_ x: Int, _ y: Int, _ channel: Int) -> Int

  /// Returns the picture `hash` or `smooth`.
  static func named(_ name: String, _ size: Size) -> IntegerPicture {
    let (w, h) = (size.width, size.height)
    return IntegerPicture(size: size) { x, y, channel in
      if name == "hash" { return [4 * x + y, x * y, (x ^ y) * 5][channel] & 255 }
      let radius = min(w, h) / 3
      let isDisc = (x - w / 2) * (x - w / 2) + (y - h / 2) * (y - h / 2) < radius * radius
      let value = [255 * x / (w - 1), 255 * y / (h - 1), 255 * (x + y) / (w + h - 2)][channel]
      return isDisc ? [255 - value, value, 64][channel] : value
    }
  }

  func mutated(_ mutation: String) -> IntegerPicture {
    IntegerPicture(size: size) { x, y, channel in
      let old = value(x, y, channel)
      let new =
        switch mutation {
        case "r+3": channel == 0 ? old + 3 : old
        case "noise4": old + (Self.hash(x, y, channel) >> 13) % 9 - 4
        case "shift1": value(max(x - 1, 0), y, channel)
        case "one200": x == 17 && y == 11 && channel == 1 ? (old >= 200 ? old - 200 : old + 200) : old
        case "box3": box(x, y, channel)
        default: preconditionFailure("there is no mutation \(mutation)")
        }
      return min(max(new, 0), 255)
    }
  }

  private func box(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    var sum = 0
    for dy in -1...1 {
      for dx in -1...1 {
        sum += value(min(max(x + dx, 0), size.width - 1), min(max(y + dy, 0), size.height - 1), channel)
      }
    }
    return (2 * sum + 9) / 18
  }

  static func hash(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    ((x * 73_856_093) ^ (y * 19_349_663) ^ (channel * 83_492_791)) & 0xFFFF_FFFF
  }

  var image: Image {
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width { bytes += (0..<3).map { UInt8(value(x, y, $0)) } + [255] }
    }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }

  /// Returns one channel as a gray picture.
  func gray(_ channel: Int) -> Image {
    let bytes = (0..<size.area).map { UInt8(value($0 % size.width, $0 / size.width, channel)) }
    return Image(size: size, channels: .gray, depth: .bits8, bytes: bytes)
  }
}
