internal import SafelightGLES
internal import SafelightImage

/// The vertices of a draw on the CPU: fetched, run through the vertex twin and assembled to triangles.
struct VertexStage {
  /// The indices of varyings that are not interpolated.
  let flat: Set<Int>

  private let draw: Command.Draw
  private let body: @Sendable (VertexArguments) throws -> VertexOutput
  private let corners: [Int?]
  private let instances: Range<Int>
  private let fetch: VertexFetch
  private let arguments: TwinArguments

  init(_ draw: Command.Draw, _ backend: CPUBackend) throws(SafelightError) {
    let function = draw.pipeline.vertexFunction
    switch try backend.twin(of: function).body {
    case .vertex(let body, let flat): (self.body, self.flat) = (body, flat)
    case .grid: throw CPUBackend.wrongTwin(function, "compute", as: "vertex")
    case .fragment: throw CPUBackend.wrongTwin(function, "fragment", as: "vertex")
    }
    self.draw = draw
    arguments = TwinArguments(draw.vertexBindings, in: backend, grid: draw.pass.size)
    (corners, instances) = try draw.corners(in: backend)
    fetch = VertexFetch(draw.pipeline.vertexDescriptor, arguments, baseInstance: instances.lowerBound)
  }

  /// Calls `body` for each triangle of each instance, in order; runs the twin once per vertex and instance.
  func forEachTriangle(_ body: (ClipVertex, ClipVertex, ClipVertex) throws -> Void) throws {
    let triangles = draw.primitives.triangles(corners)
    for instance in instances {
      var made: [Int: ClipVertex] = [:]
      for (a, b, c) in triangles {
        try body(try vertex(a, instance, &made), try vertex(b, instance, &made), try vertex(c, instance, &made))
      }
    }
  }

  private func vertex(_ number: Int, _ instance: Int, _ made: inout [Int: ClipVertex]) throws -> ClipVertex {
    if let vertex = made[number] { return vertex }
    try fetch.check(number, instance, draw.pipeline.label)
    let vertex = ClipVertex(
      try body(VertexArguments(vertexID: number, instanceID: instance, arguments: arguments, fetch: fetch)))
    made[number] = vertex
    return vertex
  }
}

extension Command.Draw {
  /// Returns the indices of its vertices, nil for the index that begins a new strip, and its instances.
  fileprivate func corners(in backend: CPUBackend) throws(SafelightError) -> ([Int?], Range<Int>) {
    switch vertices {
    case .consecutive(let start, let count): return (Array(start..<start + count), instances)
    case .indexed(let indices, let count, let baseVertex):
      return (try corners(indices, backend.memory(indices.buffer), 0, count, baseVertex), instances)
    case .indirect(let buffer, let offset):
      let words = try arguments(backend.memory(buffer), offset, 4)
      return (Array(words[2]..<words[2] + words[0]), 0..<words[1])
    case .indexedIndirect(let indices, let buffer, let offset):
      let words = try arguments(backend.memory(buffer), offset, 5)
      let baseVertex = Int(Int32(truncatingIfNeeded: words[3]))
      return (try corners(indices, backend.memory(indices.buffer), words[2], words[0], baseVertex), 0..<words[1])
    }
  }

  private func corners(
    _ indices: Indices, _ memory: BufferMemory, _ first: Int, _ count: Int, _ baseVertex: Int
  ) throws(SafelightError) -> [Int?] {
    let start = indices.offset + first * indices.type.length
    let needed = start + count * indices.type.length
    try ensure(
      needed <= indices.buffer.length, .usage, pipeline.label,
      why:
        "the draw needs \(needed) bytes of index buffer '\(indices.buffer.label)'; \(indices.buffer.length) were given",
      remedy: "bind a longer buffer, or draw fewer indices")
    return (0..<count).map { number in
      let index = memory.integer(at: start + number * indices.type.length, length: indices.type.length)
      return primitives.isStrip && index == indices.type.restart ? nil : Int(index) + baseVertex
    }
  }

  /// Returns the words of an indirect draw. Limits their counts, as a buffer may hold any numbers and a twin would
  /// never finish more.
  private func arguments(_ memory: BufferMemory, _ offset: Int, _ count: Int) throws(SafelightError) -> [Int] {
    let words = (0..<count).map { Int(memory.integer(at: offset + 4 * $0, length: 4)) }
    try ensure(
      words[count - 1] == 0, .usage, pipeline.label,
      why: "the last word of its draw arguments is \(words[count - 1]); OpenGL ES 3.1 takes only 0 there",
      remedy: "move the offset of the buffers that step with instances instead")
    try ensure(
      words[0] <= 1 << 24 && words[1] <= 1 << 20, .limit, pipeline.label,
      why: "the draw arguments ask for \(words[0]) vertices in \(words[1]) instances",
      remedy: "write at most 16777216 vertices and 1048576 instances")
    return words
  }
}

/// Reads the attributes of vertices from vertex buffers.
struct VertexFetch {
  private let descriptor: VertexDescriptor
  /// The bytes of each buffer from the first vertex on.
  private var sources: [Int: (memory: BufferMemory, layout: VertexDescriptor.Layout)] = [:]
  /// The first instance, from which steps are counted.
  private let baseInstance: Int

  init(_ descriptor: VertexDescriptor, _ arguments: TwinArguments, baseInstance: Int) {
    self.descriptor = descriptor
    self.baseInstance = baseInstance
    for (index, layout) in descriptor.buffers {
      if let memory = arguments.vertices(index) { sources[index] = (memory, layout) }
    }
  }

  /// Returns an attribute as floats; components that the format lacks are 0, 0, 0, 1.
  func float(_ location: Int, _ vertex: Int, _ instance: Int) -> SIMD4<Float> {
    var value = SIMD4<Float>(0, 0, 0, 1)
    read(location, vertex, instance) { index, format, bits in value[index] = format.float(bits) }
    return value
  }

  /// Returns an attribute as 32-bit integers, signed ones in two's complement.
  func integer(_ location: Int, _ vertex: Int, _ instance: Int) -> SIMD4<UInt32> {
    var value = SIMD4<UInt32>(0, 0, 0, 1)
    read(location, vertex, instance) { index, _, bits in value[index] = bits }
    return value
  }

  /// Throws if a vertex is beyond the end of a buffer.
  func check(_ vertex: Int, _ instance: Int, _ name: String) throws(SafelightError) {
    for (index, source) in sources {
      let needed = start(source.layout, vertex, instance) + descriptor.extent(ofBuffer: index)
      let given = source.memory.length
      try ensure(
        vertex >= 0 && needed <= given, .usage, name,
        why: "vertex \(vertex) needs \(needed) bytes of vertex buffer \(index); \(given) were given",
        remedy: "bind a longer buffer, or correct the indices")
    }
  }

  private func start(_ layout: VertexDescriptor.Layout, _ vertex: Int, _ instance: Int) -> Int {
    let step =
      switch layout.stepFunction {
      case .perVertex: vertex
      case .perInstance: baseInstance + (instance - baseInstance) / layout.stepRate
      }
    return step * layout.stride
  }

  private func read(_ location: Int, _ vertex: Int, _ instance: Int, _ body: (Int, VertexFormat, UInt32) -> Void) {
    let attribute = descriptor.attributes[location]
    guard let format = attribute.format, let source = sources[attribute.bufferIndex] else {
      trap("attribute \(location) is not in the pipeline's vertex descriptor")
    }
    let first = start(source.layout, vertex, instance) + attribute.offset
    let length = format.component.length
    for index in 0..<format.count {
      let bits = source.memory.integer(at: first + index * length, length: length)
      body(index, format, format.extended(bits))
    }
  }
}

extension VertexFormat {
  /// Sign-extends signed components to 32 bits.
  fileprivate func extended(_ bits: UInt32) -> UInt32 {
    switch component {
    case .char: UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: bits)))
    case .short: UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: bits)))
    default: bits
    }
  }

  /// Returns the number that a function receives for `bits` (ES 3.2 §2.3.4.1).
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

extension PrimitiveType {
  /// Returns the triangles of `corners`, in which nil stands for the index that begins a new strip. In strips, the
  /// first two corners of every other triangle change places, so that all have the same winding.
  fileprivate func triangles(_ corners: [Int?]) -> [(Int, Int, Int)] {
    let isStrip = self == .triangleStrip
    let parts = isStrip ? corners.split(separator: nil) : [corners[...]]
    return parts.flatMap { part -> [(Int, Int, Int)] in
      let part = part.compactMap(\.self)
      return stride(from: 0, through: part.count - 3, by: isStrip ? 1 : 3).map { first in
        let swap = isStrip ? first % 2 : 0
        return (part[first + swap], part[first + 1 - swap], part[first + 2])
      }
    }
  }
}
