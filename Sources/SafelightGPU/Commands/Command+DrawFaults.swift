internal import SafelightGLES
internal import SafelightImage

/// What no device draws: encoders trap on it, captures that hold it are refused.
extension Command.Draw {
  /// Why the numbers are none that OpenGL ES can be told, as its calls take 31 bits; nil where they are.
  static func fault(_ vertices: Vertices, instances: Int, from baseInstance: Int) -> String? {
    let limit = Int(Int32.max)
    if instances < 1 || baseInstance < 0 || baseInstance > limit || instances > limit - baseInstance {
      return
        "drew \(instances) instances from \(baseInstance); draw at least one, from 0 or above and up to number \(limit - 1)"
    }
    switch vertices {
    case .consecutive(let start, let count):
      if count < 1 || start < 0 || start > limit || count > limit - start {
        return
          "drew \(count) vertices from \(start); start from 0 or above, draw at least one, and up to number \(limit - 1)"
      }
    case .indexed(let indices, let count, let baseVertex):
      if count < 1 || count > limit || baseVertex.magnitude > UInt(limit) {
        return
          "drew \(count) indices with base vertex \(baseVertex); draw 1 to \(limit), with a base vertex of at most as much"
      }
      let needed = indices.offset + count * indices.type.length
      if needed > indices.buffer.length {
        return
          "drew \(count) indices from byte \(indices.offset) of '\(indices.buffer.label)': \(needed) bytes are needed, "
          + "\(indices.buffer.length) were given"
      }
    case .indirect, .indexedIndirect: break
    }
    return nil
  }

  /// Why its functions cannot be bound together: GLSL has one table for both. Nil where they can.
  var tableFault: String? {
    let (vertex, fragment) = (pipeline.vertexFunction, pipeline.fragment)
    guard !vertex.arguments.isEmpty else { return nil }
    for argument in vertex.arguments where fragment.arguments.contains(argument) {
      guard !vertexBindings.agrees(with: bindings, on: argument) else { continue }
      return
        "'\(vertex.name)' and '\(fragment.name)' both use \(argument), bound to different things; GLSL has one table for "
        + "both stages: give one of them another index"
    }
    return nil
  }
}

extension Bindings {
  /// Whether `argument` is the same thing in both.
  fileprivate func agrees(with other: Bindings, on argument: ShaderArgument) -> Bool {
    func isSameBuffer(_ index: Int) -> Bool {
      buffers[index] === other.buffers[index] && bufferOffsets[index] == other.bufferOffsets[index]
    }
    return switch argument {
    case .sampledTexture(let index), .storageTexture(let index), .readWriteTexture(let index):
      textures[index] === other.textures[index] && samplers[index] === other.samplers[index]
    case .readBuffer(let index), .storageBuffer(let index): isSameBuffer(index)
    case .bytes(let index): bytes[index] == other.bytes[index] && (bytes[index] != nil || isSameBuffer(index))
    }
  }
}
