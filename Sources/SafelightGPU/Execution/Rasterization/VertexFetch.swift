internal import SafelightGLES
internal import SafelightImage

/// Reads the attributes of corners from the memory of vertex buffers.
struct VertexFetch {
  /// A vertex buffer.
  struct Source {
    /// The bytes from the first vertex on.
    var memory: BufferMemory
    var layout: VertexDescriptor.Layout
  }

  let descriptor: VertexDescriptor
  let sources: [Int: Source]
  /// The number of the first instance, from which steps are counted.
  let baseInstance: Int

  /// Red-green-blue-alpha order of an attribute as floats; what the format lacks is 0, 0, 0, 1.
  func float(_ location: Int, _ vertex: Int, _ instance: Int) -> SIMD4<Float> {
    var value = SIMD4<Float>(0, 0, 0, 1)
    read(location, vertex, instance) { index, format, bits in value[index] = format.float(bits) }
    return value
  }

  /// The same as 32-bit integers, signed ones in two's complement.
  func integer(_ location: Int, _ vertex: Int, _ instance: Int) -> SIMD4<UInt32> {
    var value = SIMD4<UInt32>(0, 0, 0, 1)
    read(location, vertex, instance) { index, _, bits in value[index] = bits }
    return value
  }

  /// Throws where a corner lies beyond the end of a buffer.
  func check(_ vertex: Int, _ instance: Int, _ name: String) throws(SafelightError) {
    for (index, source) in sources {
      let needed = start(source, vertex, instance) + descriptor.extent(ofBuffer: index)
      let given = source.memory.length
      guard vertex < 0 || needed > given else { continue }
      throw SafelightError(
        .usage, name,
        why: "vertex \(vertex) needs \(needed) bytes of vertex buffer \(index); \(given) were given",
        remedy: "bind a longer buffer, or correct the indices")
    }
  }

  private func start(_ source: Source, _ vertex: Int, _ instance: Int) -> Int {
    let layout = source.layout
    let step =
      switch layout.stepFunction {
      case .perVertex: vertex
      case .perInstance: baseInstance + (instance - baseInstance) / layout.stepRate
      }
    return step * layout.stride
  }

  private func read(
    _ location: Int, _ vertex: Int, _ instance: Int, _ body: (Int, VertexFormat, UInt32) -> Void
  ) {
    guard let attribute = descriptor.attributes[location], let source = sources[attribute.bufferIndex] else {
      trap("attribute \(location) is not in the pipeline's vertex descriptor")
    }
    let first = start(source, vertex, instance) + attribute.offset
    let length = attribute.format.component.length
    for index in 0..<attribute.format.count {
      let bits = source.memory.integer(at: first + index * length, length: length)
      body(index, attribute.format, attribute.format.extended(bits))
    }
  }
}

extension VertexFormat {
  /// Signed components with their sign in all 32 bits.
  fileprivate func extended(_ bits: UInt32) -> UInt32 {
    switch component {
    case .char: UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: bits)))
    case .short: UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: bits)))
    default: bits
    }
  }

  /// The number that a function gets for `bits` (ES 3.2 §2.3.4.1).
  fileprivate func float(_ bits: UInt32) -> Float {
    let signed = Float(Int32(bitPattern: bits))
    return switch component {
    case .float: Float(bitPattern: bits)
    case .half: PixelFormat.float(halfBits: UInt16(truncatingIfNeeded: bits))
    case .uchar: isNormalized ? Float(bits) / 255 : Float(bits)
    case .ushort: isNormalized ? Float(bits) / 65535 : Float(bits)
    case .char: isNormalized ? max(-1, signed / 127) : signed
    case .short: isNormalized ? max(-1, signed / 32767) : signed
    case .uint: Float(bits)
    case .int: signed
    }
  }
}

extension BufferMemory {
  /// A copy of bytes.
  convenience init(copying bytes: [UInt8]) {
    let host = HostMemory(length: bytes.count)
    unsafe host.bytes.copyBytes(from: bytes)
    self.init(host, range: 0..<bytes.count)
  }

  /// The number of bytes.
  var length: Int { unsafe bytes.count }

  /// One to four bytes in host order.
  func integer(at place: Int, length: Int) -> UInt32 {
    (0..<length).reversed().reduce(0) { unsafe $0 << 8 | UInt32(bytes[place + $1]) }
  }
}
