package import SafelightImage
internal import SafelightShaders

extension Pass {
  /// Lays `color` over the pixels of `area`, or over the parts of them that `spans` cover.
  static func painting(
    _ color: NamedColor, over area: Region, in picture: PassPicture, spans: LineSpans? = nil
  ) -> Pass {
    let samples = color.samples(in: picture.image)
    return Pass(
      PaintFunction(isGray: picture.isGray, front: spans == nil ? .color : .spans),
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

extension Pass {
  /// Lays the kernel's second picture, of four channels, over the pixels of `area`, which has its size; behind a copy.
  package static func painting(secondOver area: Region, in picture: PassPicture) -> [Pass] {
    let function = PaintFunction(isGray: picture.isGray, front: .picture)
    let second = Input("picture", .further(0), .placed(Placement(x: area.x, y: area.y)))
    return [
      .copy(),
      Pass(
        function, uniforms: .words([0, 0, 0, 0, area.x, area.y, 0, 0]), inputs: [.source(.pixel), second], area: area),
    ]
  }
}

extension PassPicture {
  fileprivate var isGray: Bool { pixelFormat.samplesPerPixel == 1 }
}

/// `paint.glsl`: lays a color or a picture over pixels.
private struct PaintFunction: BuiltInPassFunction {
  enum Front {
    case color, spans, picture
  }

  let isGray: Bool
  let front: Front

  var name: String { "paint" }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("IS_GRAY", isGray), .init("HAS_SPANS", front == .spans), .init("HAS_PICTURE", front == .picture),
      .init("SPAN_COLUMNS", LineSpans.columns),
    ]
  }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(memory, UInt8.self)
    case .bits16: make(memory, UInt16.self)
    }
  }

  private func make<Sample: UnsignedSample>(_ memory: PassMemory, _ type: Sample.Type) {
    let (region, words) = (memory.region, memory.uniforms)
    let color = SIMD4(words[0], words[1], words[2], words[3])
    let corner = (x: Int(Int32(bitPattern: words[4])), y: Int(Int32(bitPattern: words[5])))
    let maximum = UInt32(truncatingIfNeeded: Sample.max)
    for y in region.y..<region.y + region.size.height {
      let from = unsafe memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width)
      let to = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      switch front {
      // Nothing shows through an opaque color.
      case .color where color.w == maximum: unsafe lay(on: from, to, maximum, isOpaque: true) { _ in color }
      case .color: unsafe lay(on: from, to, maximum) { _ in color }
      case .picture:
        let pixels = unsafe UnsafeBufferPointer(
          memory.inputs[1].row(type, x: region.x - corner.x, y: y - corner.y, count: region.size.width))
        unsafe lay(on: from, to, maximum) { x in unsafe SIMD4(reading: pixels, at: 4 * x) }
      case .spans:
        _ = unsafe to.update(fromContentsOf: from)
        let row = LineSpans.Row(y - corner.y, of: memory.inputs[1])
        let first = region.x - corner.x
        let columns = row.columns.clamped(to: first..<first + region.size.width)
        unsafe lay(on: from, to, maximum, columns: columns.lowerBound - first..<columns.upperBound - first) { x in
          var front = color
          front.w = (front.w * row.coverage(at: first + x) + 2048) >> 12
          return front
        }
      }
    }
  }

  /// Lays what `front` returns for a column of a row over each pixel, or over those of `columns`.
  @inline(__always)
  private func lay<Sample: UnsignedSample>(
    on from: UnsafeMutableBufferPointer<Sample>, _ to: UnsafeMutableBufferPointer<Sample>, _ maximum: UInt32,
    columns: Range<Int>? = nil, isOpaque: Bool = false, _ front: (_ x: Int) -> SIMD4<UInt32>
  ) {
    let step = isGray ? 1 : 4
    for x in columns ?? 0..<to.count / step {
      var pixel = front(x)
      if isGray {
        let gray = unsafe UInt32(truncatingIfNeeded: from[x])
        if !isOpaque { pixel = pixel.over(SIMD4(gray, gray, gray, maximum), maximum: maximum) }
        unsafe to[x] = Sample(truncatingIfNeeded: pixel.x)
      } else {
        if !isOpaque {
          pixel = unsafe pixel.over(SIMD4(reading: UnsafeBufferPointer(from), at: 4 * x), maximum: maximum)
        }
        for channel in 0..<4 { unsafe to[4 * x + channel] = Sample(truncatingIfNeeded: pixel[channel]) }
      }
    }
  }
}
