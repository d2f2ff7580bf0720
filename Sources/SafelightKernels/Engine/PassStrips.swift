internal import SafelightGPU
internal import SafelightImage

/// The twins of a plan's passes together: each thread makes strips of the result, one after the other, with temporaries
/// that stay in its cache.
struct PassStrips: Sendable {
  let plan: PassPlan
  let target: PassPlan.Target
  /// The pixels to make, and the texture that gets them.
  let region: Region
  let result: TiledTexture.Tile
  /// The textures that hold all that the result needs of the kernel's pictures.
  let pictures: [Pass.Resource: TiledTexture.Tile]

  /// The bytes of the temporaries of a strip: about half of a processor's second cache.
  private static let temporaryBytes = 1 << 19

  private var steps: [PassPlan.Node] { plan.steps(making: target).map(\.node) }

  /// Makes all pixels of the region. Returns the first fault of a twin that contradicts its pass.
  func make(_ memory: (Texture) -> TextureMemory) -> SafelightError? {
    let faults = PassFaults()
    let (made, read) = (memory(result.texture), pictures.mapValues { memory($0.texture) })
    if region == result.region { made.beginOverwriting() }
    let resources = Array(pictures.keys)
    let textures = [made] + resources.compactMap { read[$0] }
    unsafe PassProgram.withSamples(of: textures[...]) { samples in
      let shape = target.shape
      let target = unsafe PictureMemory(result.region, of: shape.size, shape.pixelFormat, samples[0])
      var origins: [Pass.Resource: PictureMemory] = [:]
      for (place, resource) in resources.enumerated() {
        guard let tile = pictures[resource], let shape = plan.shape(of: resource) else { continue }
        origins[resource] = unsafe PictureMemory(tile.region, of: shape.size, shape.pixelFormat, samples[place + 1])
      }
      let blocks = steps.map { $0.group.passes.map(\.uniforms.words) }
      let height = stripHeight
      RowSlices(region.y..<region.y + region.size.height, width: region.size.width).concurrently { _, rows in
        var temporaries: [Int: Temporary] = [:]
        defer { temporaries.values.forEach { $0.deallocate() } }
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: height) {
          let strip = Region(x: region.x, y: y, width: region.size.width, height: min(height, rows.upperBound - y))
          make(strip, of: target, from: origins, blocks, &temporaries, faults)
        }
      }
    }
    return faults.first
  }

  /// The rows of a strip. Temporaries of more rows than the strip are made again where strips meet, so high windows
  /// have high strips.
  private var stripHeight: Int {
    let row = plan.needs(
      of: Region(x: region.x, y: region.y, width: region.size.width, height: 1), in: target)
    var (bytes, most) = (1, 1)
    for node in steps {
      guard case .temporary(let number, let format, _) = node.group.output.target, let needed = row[.temporary(number)]
      else {
        continue
      }
      bytes += needed.size.width * format.bytesPerPixel
      most = max(most, needed.size.height)
    }
    return max(1, Self.temporaryBytes / bytes, 2 * (most - 1))
  }

  /// Makes a strip; `temporaries` are the thread's own, and grow as strips need it.
  private func make(
    _ strip: Region, of target: PictureMemory, from origins: [Pass.Resource: PictureMemory], _ blocks: [[[UInt32]]],
    _ temporaries: inout [Int: Temporary], _ faults: PassFaults
  ) {
    let needs = plan.needs(of: strip, in: self.target)
    var held = origins
    for (node, blocks) in zip(steps, blocks) {
      guard let region = node.region(making: strip, needs) else { continue }
      var (output, hasRowAbove) = (target, false)
      if case .temporary(let number, let format, _) = node.group.output.target {
        let rowBytes = region.size.width * format.bytesPerPixel
        hasRowAbove = temporaries[number, default: Temporary()].move(to: region, bytesPerRow: rowBytes)
        guard let memory = unsafe temporaries[number]?.memory.baseAddress else { continue }
        let whole = Region(x: region.x, y: region.y - 1, width: region.size.width, height: region.size.height + 1)
        output = unsafe PictureMemory(whole, of: node.made.size, format, memory)
        // Nobody reads the row above, which may be none of the picture's.
        held[.temporary(number)] = unsafe PictureMemory(region, of: node.made.size, format, memory + rowBytes)
      }
      let inputs = node.group.inputs.compactMap { held[$0.resource] }
      node.group.make(
        PassMemory(
          region: region, output: output, inputs: inputs, uniforms: [],
          pass: .init(plan.source.image.depth, faults), hasRowAbove: hasRowAbove),
        blocks: blocks)
    }
  }
}

/// A thread's part of a temporary, with room for the row above it.
@safe private struct Temporary {
  private(set) var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var region: Region?

  /// Makes room for `region`; returns true if the row above it, from the part before, lies there too.
  mutating func move(to region: Region, bytesPerRow: Int) -> Bool {
    let count = (region.size.height + 1) * bytesPerRow
    let old = unsafe memory
    if unsafe memory.count < count {
      unsafe memory = .allocate(byteCount: count, alignment: 64)
    }
    defer {
      if unsafe old.baseAddress != memory.baseAddress { unsafe old.deallocate() }
      self.region = region
    }
    guard let known = self.region, known.x == region.x, known.size.width == region.size.width,
      (known.y..<known.y + known.size.height).contains(region.y - 1)
    else { return false }
    let place = (region.y - known.y) * bytesPerRow
    unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[place..<place + bytesPerRow]))
    return true
  }

  func deallocate() { unsafe memory.deallocate() }
}

extension [UInt8] {
  /// The 32-bit words of a std140 block.
  var words: [UInt32] {
    stride(from: 0, to: count, by: 4).map { first in
      self[first..<first + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
