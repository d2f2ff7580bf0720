internal import SafelightGPU
internal import SafelightImage

/// The twins of a plan's passes together: each thread makes strips of the result, one after the other, with temporaries
/// that stay in its cache.
struct PassStrips: Sendable {
  let plan: PassPlan
  /// A texture that holds all that the result needs of the kernel's picture.
  let source: TiledTexture.Tile
  let result: TiledTexture.Tile

  /// The bytes of the temporaries of a strip: about half of a processor's second cache.
  private static let temporaryBytes = 1 << 19

  /// Makes all of the result.
  func make(_ memory: (Texture) -> TextureMemory) {
    let (picture, made) = (memory(source.texture), memory(result.texture))
    made.beginOverwriting()
    unsafe PassProgram.withSamples(of: [made, picture], after: []) { samples in
      let target = unsafe PictureMemory(result.region, of: plan.result.size, plan.result.pixelFormat, samples[0])
      let origin = unsafe PictureMemory(source.region, of: plan.source.size, plan.source.pixelFormat, samples[1])
      let words = plan.nodes.map { $0.pass.uniforms.words }
      let region = result.region
      let height = stripHeight
      RowBands(region.y..<region.y + region.size.height, width: region.size.width).concurrently { _, rows in
        var temporaries: [Int: UnsafeMutableRawBufferPointer] = unsafe [:]
        defer { unsafe temporaries.values.forEach { unsafe $0.deallocate() } }
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: height) {
          let strip = Region(x: region.x, y: y, width: region.size.width, height: min(height, rows.upperBound - y))
          unsafe make(strip, of: target, from: origin, words, &temporaries)
        }
      }
    }
  }

  /// The rows of a strip. Temporaries of more rows than the strip are made again where strips meet, so high windows
  /// have high strips.
  private var stripHeight: Int {
    let row = plan.needs(of: Region(x: result.region.x, y: result.region.y, width: result.region.size.width, height: 1))
    var (bytes, most) = (1, 1)
    for node in plan.nodes {
      guard case .temporary(let number, let format) = node.pass.output, let needed = row[.temporary(number)] else {
        continue
      }
      bytes += needed.size.width * format.bytesPerPixel
      most = max(most, needed.size.height)
    }
    return max(1, Self.temporaryBytes / bytes, 2 * (most - 1))
  }

  /// Makes a strip; `temporaries` is the thread's own memory, which grows as strips need it.
  private func make(
    _ strip: Region, of target: PictureMemory, from origin: PictureMemory, _ words: [[UInt32]],
    _ temporaries: inout [Int: UnsafeMutableRawBufferPointer]
  ) {
    let needs = plan.needs(of: strip)
    var held: [Pass.Resource: PictureMemory] = [.picture: origin]
    for (node, words) in zip(plan.nodes, words) {
      guard let region = node.region(making: strip, needs) else { continue }
      var output = target
      if case .temporary(let number, let format) = node.pass.output {
        let memory = unsafe Self.memory(region.size.area * format.bytesPerPixel, in: &temporaries[number])
        output = unsafe PictureMemory(region, of: node.made.size, format, memory)
        held[.temporary(number)] = output
      }
      let inputs = node.pass.inputs.compactMap { held[$0.resource] }
      node.pass.function.make(PassMemory(region: region, output: output, inputs: inputs, uniforms: words))
    }
  }

  private static func memory(
    _ count: Int, in known: inout UnsafeMutableRawBufferPointer?
  ) -> UnsafeMutableRawPointer {
    if let base = unsafe known?.baseAddress, let held = unsafe known?.count, held >= count { return unsafe base }
    unsafe known?.deallocate()
    let made = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
    unsafe known = UnsafeMutableRawBufferPointer(start: made, count: count)
    return unsafe made
  }
}

extension [UInt8] {
  /// The 32-bit words of a std140 block.
  var words: [UInt32] {
    stride(from: 0, to: count, by: 4).map { first in
      self[first..<first + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
