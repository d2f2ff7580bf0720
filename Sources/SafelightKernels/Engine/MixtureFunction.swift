internal import SafelightImage
internal import SafelightShaders

/// `mixture.glsl`: mixes what a filter made with the picture of which it was made, by a share in 65536ths and a mask.
///
/// With a share `k` a sample is `(k * made + (65536 - k) * picture + 32768) >> 16`. A mask of samples `m` up to the
/// maximum makes of it the share `w = (k * m * (65535 / maximum) + 32768) >> 16` of 65535, and the sample
/// `floor((w * made + (65535 - w) * picture + 32767) / 65535)`; without a share that is the mixture by `m / maximum`,
/// rounded to the nearest, since 255 and 65535 are odd.
struct MixtureFunction: BuiltInPassFunction {
  let isMasked: Bool

  var name: String { "mixture" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_MASKED", isMasked)] }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(memory, UInt8.self)
    case .bits16: make(memory, UInt16.self)
    }
  }

  private func make<Sample: UnsignedSample & SIMDScalar>(_ memory: PassMemory, _ type: Sample.Type) {
    let (region, step, share) = (memory.region, memory.output.step, memory.uniforms[0])
    var row = 0
    unsafe memory.forEachPairOfRows(type) { made, filtered, picture in
      defer { row += 1 }
      let count = region.size.width * step
      guard isMasked else {
        let rest = 65536 - share
        for at in 0..<count {
          let sum = unsafe UInt32(filtered[at]) &* share &+ UInt32(picture[at]) &* rest &+ 32768
          unsafe made[at] = Sample(truncatingIfNeeded: sum >> 16)
        }
        return
      }
      let mask = unsafe memory.inputs[2].row(type, x: region.x, y: region.y + row, count: region.size.width)
      let scale = 65535 / UInt32(truncatingIfNeeded: Sample.max)
      withConstantStep(step) { step in
        for pixel in 0..<region.size.width {
          let own = unsafe (UInt32(mask[pixel &* step]) &* scale &* share &+ 32768) >> 16
          for at in pixel &* step..<(pixel &+ 1) &* step {
            let sum = unsafe UInt32(filtered[at]) &* own &+ UInt32(picture[at]) &* (65535 &- own) &+ 32768
            // The floor of (sum - 1) / 65535, exact below 2³²; sum - 1 is at most 65535² + 32767.
            unsafe made[at] = Sample(truncatingIfNeeded: (sum &+ ((sum &- 1) >> 16)) >> 16)
          }
        }
      }
    }
  }
}
