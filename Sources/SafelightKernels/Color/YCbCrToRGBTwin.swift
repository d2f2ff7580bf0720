internal import SafelightGPU
internal import SafelightImage

/// The twin of `ycbcr_to_rgb`: the same sums, in integers of 64 bits.
struct YCbCrToRGBTwin {
  private let luma: TextureMemory
  /// Both differences, or blue's.
  private let chroma: TextureMemory
  private let redChroma: TextureMemory
  private let alpha: TextureMemory?
  private let target: TextureMemory
  private let parameters: YCbCrToRGBParameters

  /// Nil where the bindings do not go together.
  init?(_ arguments: TwinArguments, isPlanar: Bool, hasAlpha: Bool) {
    guard let target = arguments.colorAttachment,
      arguments.words(3).count * 4 >= MemoryLayout<YCbCrToRGBParameters>.size
    else { return nil }
    luma = arguments.texture(0)
    chroma = arguments.texture(1)
    redChroma = isPlanar ? arguments.texture(2) : chroma
    alpha = hasAlpha ? arguments.texture(4) : nil
    self.target = target
    parameters = arguments.value(YCbCrToRGBParameters.self, 3)
    let siting = parameters.siting
    let depth = target.pixelFormat.bytesPerSample
    let kind = luma.pixelFormat.sampleKind
    // Sixteenths of what lies farthest from black, and from the middle.
    func farthest(_ zero: Int32) -> Int { 16 * max(abs(Int(zero)), abs(target.pixelFormat.maximum - Int(zero))) }
    let chromaReach = farthest(parameters.levels.y)
    let reach = SIMD3(farthest(parameters.levels.x), chromaReach, chromaReach)
    let planes = [luma, chroma, redChroma] + (alpha.map { [$0] } ?? [])
    guard
      planes.allSatisfy({
        $0.pixelFormat.bytesPerSample == depth && $0.pixelFormat.sampleKind == kind && kind != .float
      }),
      depth <= 2, luma.size == target.size, chroma.size == redChroma.size, luma.pixelFormat.samplesPerPixel == 1,
      chroma.pixelFormat.samplesPerPixel == (isPlanar ? 1 : 2), redChroma.pixelFormat == chroma.pixelFormat,
      target.pixelFormat.samplesPerPixel != 2, target.pixelFormat.isColor, target.pixelFormat.sampleKind != .float,
      alpha.map({ $0.size == target.size && $0.pixelFormat.samplesPerPixel == 4 }) ?? true,
      (0..<2).allSatisfy({ [2, 4].contains(siting[$0]) && [0, 1, 2].contains(siting[$0 + 2]) }),
      (0...8).contains(parameters.levels.z), (0...65535).contains(parameters.levels.w),
      Int(parameters.levels.w) << Int(parameters.levels.z) <= target.pixelFormat.maximum,
      [parameters.red, parameters.green, parameters.blue].allSatisfy({ YCbCrCoding.holds($0, reach: reach) })
    else { return nil }
  }

  func run() {
    if target.pixelFormat.bytesPerSample == 1 { run(UInt8.self) } else { run(UInt16.self) }
  }

  private func run<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_ type: Sample.Type) {
    unsafe luma.withSamples(of: type) { luma in
      unsafe chroma.withSamples(of: type) { blue in
        unsafe redChroma.withSamples(of: type) { red in
          unsafe target.withMutableSamples(of: type) { target in
            unsafe fill(target, luma: luma, blue: blue, red: red)
          }
        }
      }
    }
    guard let alpha, target.pixelFormat.samplesPerPixel == 4 else { return }
    unsafe alpha.withSamples(of: type) { alpha in
      unsafe target.withMutableSamples(of: type) { target in
        for index in stride(from: 3, to: target.count, by: 4) { unsafe target[index] = alpha[index] }
      }
    }
  }

  /// Paints the colors, and opaque alpha.
  private func fill<Sample: FixedWidthInteger & UnsignedInteger>(
    _ target: UnsafeMutableBufferPointer<Sample>, luma: UnsafeBufferPointer<Sample>, blue: UnsafeBufferPointer<Sample>,
    red: UnsafeBufferPointer<Sample>
  ) {
    let (size, chromaSize) = (self.target.size, chroma.size)
    let samples = self.target.pixelFormat.samplesPerPixel
    // In pairs, red differences follow blue ones.
    let (spacing, redOffset) = chroma.pixelFormat.samplesPerPixel == 2 ? (2, 1) : (1, 0)
    let (zero, middle) = (Int(parameters.levels.x), Int(parameters.levels.y))
    let (shift, largest) = (Int(parameters.levels.z), Int(parameters.levels.w))
    let (stepX, stepY) = (Int(parameters.siting.x), Int(parameters.siting.y))
    let (offsetX, offsetY) = (Int(parameters.siting.z), Int(parameters.siting.w))
    let rows = [parameters.red, parameters.green, parameters.blue].map { (Int($0.x), Int($0.y), Int($0.z)) }
    for y in 0..<size.height {
      let down = stepY * y - offsetY
      let above = min(max(down >> 2, 0), chromaSize.height - 1) * chromaSize.width
      let below = min(max((down >> 2) + 1, 0), chromaSize.height - 1) * chromaSize.width
      let lower = down & 3
      for x in 0..<size.width {
        let across = stepX * x - offsetX
        let left = min(max(across >> 2, 0), chromaSize.width - 1)
        let right = min(max((across >> 2) + 1, 0), chromaSize.width - 1)
        let farther = across & 3
        func sixteenths(_ plane: UnsafeBufferPointer<Sample>, _ offset: Int) -> Int {
          func sample(_ index: Int) -> Int { unsafe min(Int(plane[index * spacing + offset]), largest) << shift }
          let upper = (4 - farther) * sample(above + left) + farther * sample(above + right)
          if lower == 0 { return 4 * upper }
          return (4 - lower) * upper + lower * ((4 - farther) * sample(below + left) + farther * sample(below + right))
        }
        let pixel = y * size.width + x
        let light = 16 * (unsafe (min(Int(luma[pixel]), largest) << shift) - zero)
        let (b, r) = unsafe (sixteenths(blue, 0) - 16 * middle, sixteenths(red, redOffset) - 16 * middle)
        func mixed(_ row: (Int, Int, Int)) -> Sample {
          let sum = (row.0 * light + row.1 * b + row.2 * r + (1 << 22)) >> 23
          return Sample(min(max(sum, 0), Int(Sample.max)))
        }
        unsafe target[pixel * samples] = mixed(rows[0])
        guard samples == 4 else { continue }
        unsafe target[pixel * 4 + 1] = mixed(rows[1])
        unsafe target[pixel * 4 + 2] = mixed(rows[2])
        unsafe target[pixel * 4 + 3] = Sample.max
      }
    }
  }
}
