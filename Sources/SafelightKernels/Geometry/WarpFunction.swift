internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

extension Pass {
  /// Makes of `picture` one whose pixels come from where `warp` says; `color` are the samples beyond the edges.
  static func warping(_ picture: PassPicture, by warp: Warp, color: SIMD4<UInt32>) -> Pass {
    let function = WarpFunction(
      kind: warp.map.kind, interpolation: warp.interpolation, edge: warp.edge, isDeep: picture.image.depth == .bits16)
    let size = [picture.size.width, picture.size.height, 0, 0]
    var inputs = [Input.source(Footprint(extent: .warped(warp)))]
    if function.hasWeights {
      inputs.append(.table("weights", ImageInterpolation.Weights(interpolation: warp.interpolation)))
    }
    if case .picture(let coordinates) = warp.map.rule, let picture = coordinates.picture {
      inputs.append(Input("coordinates", .constant(Constant(picture.image)), .pixel))
    }
    return Pass(
      function, uniforms: .words(size + (0..<4).map { Int(color[$0]) } + warp.map.words), inputs: inputs)
  }
}

extension WarpMap {
  /// The numbers of the map as the shader reads them.
  fileprivate var words: [Int] {
    func integers(_ values: Int32...) -> [Int] { values.map { Int($0) } }
    let words: [Int]
    switch rule {
    case .affine(let columns, let rows): words = columns.words + rows.words
    case .projective(let columns, let rows, let divisor): words = columns.words + rows.words + divisor.words
    case .lens(let lens):
      let (radial, tangential, radius) = (lens.radial, lens.tangential, lens.radius)
      words =
        lens.columns.words + lens.rows.words + integers(radial.x, radial.y, radial.z, 0)
        + integers(tangential.x, tangential.y, radius.x, radius.y)
    case .picture(let coordinates):
      let (scale, first) = (coordinates.scale, coordinates.first)
      words =
        WarpPlane(right: scale.x, below: scale.y, first: 0).words
        + WarpPlane(right: first.x, below: first.y, first: 0).words
    }
    return words + [Int](repeating: 0, count: 24 - words.count)
  }

  /// Reads such numbers.
  fileprivate init(kind: Int, _ words: ArraySlice<UInt32>) {
    let pairs = stride(from: words.startIndex, to: words.endIndex, by: 2).map { place in
      Int64(bitPattern: UInt64(words[place]) | UInt64(words[place + 1]) << 32)
    }
    let planes = stride(from: 0, to: pairs.count, by: 4).map { place in
      WarpPlane(right: pairs[place], below: pairs[place + 1], first: pairs[place + 2])
    }
    switch kind {
    case 0: self.init(.affine(planes[0], planes[1]))
    case 1: self.init(.projective(planes[0], planes[1], divisor: planes[2]))
    case 2: self.init(.lens(WarpLens(planes[0], planes[1], words.suffix(8).map { Int32(bitPattern: $0) })))
    default:
      self.init(.picture(WarpCoordinates(scale: SIMD2(pairs[0], pairs[1]), first: SIMD2(pairs[4], pairs[5]))))
    }
  }
}

/// Takes each pixel from a position in the source.
private struct WarpFunction: BuiltInPassFunction {
  /// That of ``WarpMap/kind``.
  let kind: Int
  let interpolation: ImageInterpolation
  let edge: WarpSampling.Edge
  let isDeep: Bool

  var name: String { "warp" }
  var hasWeights: Bool { interpolation.taps > 2 }
  /// True for a map that a picture says.
  private var readsCoordinates: Bool { kind == 3 }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("MAP", kind), .init("TAPS", interpolation.taps),
      .init("EDGE", WarpSampling.Edge.allCases.firstIndex(of: edge) ?? 0), .init("IS_DEEP", isDeep),
    ]
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    let isGray = memory.output.step == 1
    switch (isDeep, isGray) {
    case (false, false): unsafe make(memory, operations.warp_8)
    case (true, false): unsafe make(memory, operations.warp_16)
    case (false, true): unsafe make(memory, operations.warp_gray_8)
    case (true, true): unsafe make(memory, operations.warp_gray_16)
    }
  }

  private func make<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ warp: (
      UnsafeMutablePointer<Sample>, UnsafePointer<CKernelWarp>, UnsafePointer<Int32>, UnsafePointer<Int32>, Int
    ) -> Void
  ) {
    let (source, region) = (memory.inputs[0], memory.region)
    let map = WarpMap(kind: kind, memory.uniforms[8...])
    let color = memory.uniforms[4..<8].map { Sample(truncatingIfNeeded: $0) }
    let isNearest = interpolation == .nearest
    unsafe color.withUnsafeBufferPointer { color in
      guard let color = color.baseAddress else { return }
      var picture = unsafe CKernelWarp(
        pixels: UnsafeRawPointer(source.pixel(x: source.region.x, y: source.region.y)), stride: source.bytesPerRow,
        left: Int32(source.region.x), top: Int32(source.region.y), width: Int32(memory.uniforms[0]),
        height: Int32(memory.uniforms[1]), edge: Int32(WarpSampling.Edge.allCases.firstIndex(of: edge) ?? 0),
        taps: Int32(interpolation.taps),
        color: UnsafeRawPointer(color), weights: nil)
      if hasWeights {
        unsafe picture.weights = UnsafeRawPointer(memory.inputs[1].entries()).assumingMemoryBound(to: Int16.self)
      }
      WarpMap.Positions.withRoom(for: Self.columns) { positions in
        // Tiles, so that the rows that slanted lines of pixels come from stay in the nearest cache.
        for tile in region.tiles(width: Self.columns, height: region.size.height) {
          let (x, count) = (tile.x, tile.size.width)
          for y in tile.y..<tile.y + tile.size.height {
            let coordinates = unsafe readsCoordinates ? memory.coordinates(x: x, y: y, count: count) : nil
            unsafe map.place(positions, x: x, y: y, count: count, isNearest: isNearest, coordinates: coordinates)
            let made = unsafe memory.output.row(Sample.self, x: x, y: y, count: count)
            if let made = made.baseAddress {
              unsafe warp(made, &picture, positions.columns, positions.rows, count)
            }
          }
        }
      }
    }
  }

  /// The columns of a tile.
  private static let columns = 128
}

extension PassMemory {
  /// Returns where the coordinates of pixels of a row lie: in the last picture that is read.
  fileprivate func coordinates(x: Int, y: Int, count: Int) -> UnsafePointer<UInt16>? {
    guard let first = unsafe inputs.last?.row(UInt16.self, x: x, y: y, count: count).baseAddress else {
      trap("a warp by a picture was given no picture")
    }
    return unsafe UnsafePointer(first)
  }
}
