internal import SafelightImage
internal import SafelightShaders

extension Pass {
  /// Lays `color` over the pixels of `area`, or over the parts of them that `spans` cover.
  static func painting(
    _ color: NamedColor, over area: Region, in picture: PassPicture, spans: LineSpans? = nil
  ) -> Pass {
    let samples = color.samples(in: picture.image)
    return Pass(
      PaintFunction(isGray: picture.pixelFormat.samplesPerPixel == 1, hasSpans: spans != nil),
      uniforms: .words((0..<4).map { Int(samples[$0]) } + [area.x, area.y, 0, 0]),
      inputs: [.source(.pixel)] + (spans.map { [.table("spans", $0)] } ?? []), area: area)
  }

  /// Returns the passes that lay `color` over the pixels of each of `areas` in a picture, which do not overlap; what
  /// lies outside the picture is cut off.
  static func painting(_ color: NamedColor, over areas: [Region], in picture: PassPicture) -> [Pass] {
    let parts = areas.map { $0.intersection(Region(size: picture.size)) }.filter { !$0.size.isEmpty }
    return [.copy()] + parts.map { .painting(color, over: $0, in: picture) }
  }
}

/// `paint.glsl`: lays a color over pixels.
private struct PaintFunction: BuiltInPassFunction {
  let isGray: Bool
  let hasSpans: Bool

  var name: String { "paint" }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("IS_GRAY", isGray), .init("HAS_SPANS", hasSpans), .init("SPAN_COLUMNS", LineSpans.columns),
    ]
  }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(memory, UInt8.self)
    case .bits16: make(memory, UInt16.self)
    }
  }

  private func make<Sample: UnsignedSample>(_ memory: PassMemory, _ type: Sample.Type) {
    let (region, words, step) = (memory.region, memory.uniforms, memory.output.step)
    let color = SIMD4(words[0], words[1], words[2], words[3])
    let corner = (x: Int(Int32(bitPattern: words[4])), y: Int(Int32(bitPattern: words[5])))
    let maximum = UInt32(truncatingIfNeeded: Sample.max)
    for y in region.y..<region.y + region.size.height {
      let from = unsafe memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width)
      let to = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      let row = hasSpans ? LineSpans.Row(y - corner.y, of: memory.inputs[1]) : nil
      for x in 0..<region.size.width {
        var front = color
        if let row { front.w = (front.w * row.coverage(at: region.x + x - corner.x) + 2048) >> 12 }
        let pixel: SIMD4<UInt32>
        if isGray {
          let gray = unsafe UInt32(truncatingIfNeeded: from[x])
          pixel = front.over(SIMD4(gray, gray, gray, maximum), maximum: maximum)
        } else {
          pixel = unsafe front.over(SIMD4(reading: UnsafeBufferPointer(from), at: 4 * x), maximum: maximum)
        }
        for channel in 0..<step { unsafe to[step * x + channel] = Sample(truncatingIfNeeded: pixel[channel]) }
      }
    }
  }
}
