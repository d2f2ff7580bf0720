internal import SafelightGLES
internal import SafelightImage

/// The corners of a draw on the CPU executor: fetched, run through the vertex twin and put together to triangles.
struct VertexStage {
  /// Varyings that are not interpolated.
  let flat: Set<Int>

  private let name: String
  private let body: @Sendable (VertexArguments) throws -> VertexOutput
  private let primitives: PrimitiveType
  private let corners: [Int?]
  private let instances: Range<Int>
  private let fetch: VertexFetch
  private let arguments: TwinArguments

  init(_ draw: Command.Draw, _ executor: CPUExecutor) throws(SafelightError) {
    let function = draw.pipeline.vertexFunction
    switch try executor.twin(of: function).body {
    case .vertex(let body, let flat): (self.body, self.flat) = (body, flat)
    case .grid: throw CPUExecutor.wrongTwin(function, "compute", as: "vertex")
    case .fragment: throw CPUExecutor.wrongTwin(function, "fragment", as: "vertex")
    }
    name = draw.pipeline.label
    primitives = draw.primitives
    (corners, instances) = try executor.corners(draw)
    fetch = VertexFetch(
      descriptor: draw.pipeline.vertexDescriptor, sources: executor.vertexSources(draw),
      baseInstance: instances.lowerBound)
    arguments = executor.arguments(draw.vertexBindings, grid: draw.pass.size)
  }

  /// Calls `body` for each triangle of each instance, in order; a corner is made once an instance.
  func forEachTriangle(_ body: (ClipVertex, ClipVertex, ClipVertex) throws -> Void) throws {
    let triangles = PrimitiveAssembly.triangles(primitives, corners)
    for instance in instances {
      var made: [Int: ClipVertex] = [:]
      for (a, b, c) in triangles {
        try body(
          try vertex(a, instance, &made), try vertex(b, instance, &made), try vertex(c, instance, &made))
      }
    }
  }

  private func vertex(_ number: Int, _ instance: Int, _ made: inout [Int: ClipVertex]) throws -> ClipVertex {
    if let vertex = made[number] { return vertex }
    try fetch.check(number, instance, name)
    let vertex = ClipVertex(
      try body(VertexArguments(vertexID: number, instanceID: instance, arguments: arguments, fetch: fetch)))
    made[number] = vertex
    return vertex
  }
}

extension CPUExecutor {
  /// The numbers of a draw's corners, nil for the index that begins a new strip, and of its instances.
  fileprivate func corners(_ draw: Command.Draw) throws(SafelightError) -> ([Int?], Range<Int>) {
    let (type, name) = (draw.primitives, draw.pipeline.label)
    switch draw.vertices {
    case .consecutive(let start, let count): return (Array(start..<start + count), draw.instances)
    case .indexed(let indices, let count, let baseVertex):
      return (try corners(type, indices, 0, count, baseVertex, name), draw.instances)
    case .indirect(let buffer, let offset):
      let words = words(buffer, offset, 4)
      try checkReserved(words[3], name)
      try checkCounts(words, name)
      return (Array(words[2]..<words[2] + words[0]), 0..<words[1])
    case .indexedIndirect(let indices, let buffer, let offset):
      let words = words(buffer, offset, 5)
      try checkReserved(words[4], name)
      try checkCounts(words, name)
      let baseVertex = Int(Int32(truncatingIfNeeded: words[3]))
      return (try corners(type, indices, words[2], words[0], baseVertex, name), 0..<words[1])
    }
  }

  private func corners(
    _ type: PrimitiveType, _ indices: Command.Draw.Indices, _ first: Int, _ count: Int, _ baseVertex: Int,
    _ name: String
  ) throws(SafelightError) -> [Int?] {
    let start = indices.offset + first * indices.type.length
    let needed = start + count * indices.type.length
    guard needed <= indices.buffer.length else {
      throw SafelightError(
        .usage, name,
        why:
          "the draw needs \(needed) bytes of index buffer '\(indices.buffer.label)'; \(indices.buffer.length) were given",
        remedy: "bind a longer buffer, or draw fewer indices")
    }
    let memory = memory(indices.buffer)
    return (0..<count).map { number in
      let index = memory.integer(at: start + number * indices.type.length, length: indices.type.length)
      return type.isStrip && index == indices.type.restart ? nil : Int(index) + baseVertex
    }
  }

  private func words(_ buffer: Buffer, _ offset: Int, _ count: Int) -> [Int] {
    let memory = memory(buffer)
    return (0..<count).map { Int(memory.integer(at: offset + 4 * $0, length: 4)) }
  }

  /// Numbers from a buffer may be anything: more than this no twin would finish.
  private func checkCounts(_ words: [Int], _ name: String) throws(SafelightError) {
    guard words[0] > 1 << 24 || words[1] > 1 << 20 else { return }
    throw SafelightError(
      .limit, name, why: "the arguments ask for \(words[0]) corners of \(words[1]) instances",
      remedy: "write at most 16777216 corners and 1048576 instances")
  }

  private func checkReserved(_ word: Int, _ name: String) throws(SafelightError) {
    guard word != 0 else { return }
    throw SafelightError(
      .usage, name, why: "the last word of its draw arguments is \(word); OpenGL ES 3.1 takes 0 there",
      remedy: "move the offset of the buffers that step with instances instead")
  }

  /// The memory behind attributes.
  fileprivate func vertexSources(_ draw: Command.Draw) -> [Int: VertexFetch.Source] {
    var sources: [Int: VertexFetch.Source] = [:]
    for (index, layout) in draw.pipeline.vertexDescriptor.layouts {
      if let bytes = draw.vertexBindings.bytes[index] {
        sources[index] = VertexFetch.Source(memory: BufferMemory(copying: bytes), layout: layout)
      } else if let buffer = draw.vertexBindings.buffers[index] {
        let memory = memory(buffer).from(draw.vertexBindings.bufferOffsets[index] ?? 0)
        sources[index] = VertexFetch.Source(memory: memory, layout: layout)
      }
    }
    return sources
  }
}
