public import SafelightGLES
internal import SafelightImage

extension TextureMemory {
  /// What `texture()` gives at (`u`, `v`), from 0 to 1 over the image, on mipmap level `level` (ES 3.2 §8.14).
  ///
  /// Drivers weigh neighbours with 8 bits or so: filtered 8-bit results agree within 1. Anisotropy is not taken into account.
  public func sample(_ sampler: SamplerDescriptor, _ u: Float, _ v: Float, level: Float = 0) -> SIMD4<Float> {
    let last = Float(descriptor.mipmapLevelCount - 1)
    let level = level.isNaN ? 0 : max(0, min(last, max(sampler.lodMinClamp, min(sampler.lodMaxClamp, level))))
    let filter = level > 0 ? sampler.minFilter : sampler.magFilter
    switch sampler.mipFilter {
    case .notMipmapped: return sample(sampler, filter, u, v)
    case .nearest: return image(level: Int(level.rounded(.toNearestOrAwayFromZero))).sample(sampler, filter, u, v)
    case .linear:
      let lower = Int(level)
      let weight = level - Float(lower)
      let first = image(level: lower).sample(sampler, filter, u, v)
      guard weight > 0 else { return first }
      let second = image(level: lower + 1).sample(sampler, filter, u, v)
      return first + (second - first) * weight
    }
  }

  private func sample(
    _ sampler: SamplerDescriptor, _ filter: SamplerDescriptor.Filter, _ u: Float, _ v: Float
  ) -> SIMD4<Float> {
    let (x, y) = (place(u, size.width), place(v, size.height))
    guard filter == .linear else { return texel(sampler, Int(x.rounded(.down)), Int(y.rounded(.down))) }
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    let (right, bottom) = (x - 0.5 - left, y - 0.5 - top)
    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map { texel(sampler, Int(left) + $0, Int(top) + $1) }
    switch sampler.reduction {
    case .weightedAverage:
      let upper = corners[0] + (corners[1] - corners[0]) * right
      let lower = corners[2] + (corners[3] - corners[2]) * right
      return upper + (lower - upper) * bottom
    case .minimum:
      return corners.dropFirst().reduce(corners[0]) { $0.replacing(with: $1, where: $1 .< $0) }
    case .maximum:
      return corners.dropFirst().reduce(corners[0]) { $0.replacing(with: $1, where: $1 .> $0) }
    }
  }

  /// The place in pixels of a coordinate; any place for what is no number or far outside.
  private func place(_ coordinate: Float, _ count: Int) -> Float {
    coordinate.isNaN ? 0 : max(-1e9, min(1e9, coordinate * Float(count)))
  }

  /// The pixel at a place that may lie beyond an edge.
  private func texel(_ sampler: SamplerDescriptor, _ x: Int, _ y: Int) -> SIMD4<Float> {
    guard
      let column = sampler.sAddressMode.index(x, count: size.width),
      let row = sampler.tAddressMode.index(y, count: size.height)
    else {
      let border = sampler.borderColor.value
      return SIMD4(border[0], border[1], border[2], border[3])
    }
    return texel(column, row)
  }
}

extension SamplerDescriptor.AddressMode {
  /// Which of `count` pixels stands at `index`; nil for the border.
  fileprivate func index(_ index: Int, count: Int) -> Int? {
    switch self {
    case .clampToEdge: return max(0, min(count - 1, index))
    case .repeat: return (index % count + count) % count
    case .mirrorRepeat:
      let place = (index % (2 * count) + 2 * count) % (2 * count)
      return place < count ? place : 2 * count - 1 - place
    case .clampToBorderColor: return (0..<count).contains(index) ? index : nil
    }
  }
}
