internal import SafelightGLES

/// Derives barriers from what commands read and write: none is ever written by hand.
///
/// OpenGL ES orders everything but the writes of shaders to storage buffers and textures (ES 3.1 §7.12). After such a
/// write the next use of the resource needs a `glMemoryBarrier` with the bit of that use, once.
package struct BarrierPlan {
  /// How a command uses a resource.
  package enum Access {
    case sampledTexture
    case storageTextureWrite
    case storageBufferRead
    case storageBufferWrite
    case renderTarget
    case textureUpdate
    case textureRead
    case bufferUpdate
    case bufferRead
    /// Attributes of corners.
    case vertexBufferRead
    /// The order of corners.
    case indexBufferRead
    /// A uniform block read from a buffer.
    case uniformRead
    /// The arguments of an indirect dispatch or draw.
    case indirectRead
    /// Pixels between a buffer and a texture; the use of the buffer.
    case pixelTransfer
    /// The process reads the memory that it shares with the device.
    case sharedMemoryRead
    /// A copy between textures; by `glCopyImageSubData` or by way of framebuffers.
    case textureCopy

    var bit: BarrierMask {
      switch self {
      case .sampledTexture: .textureFetch
      case .storageTextureWrite: .storageTexture
      case .storageBufferRead, .storageBufferWrite: .storageBuffer
      // glReadPixels reads through a framebuffer.
      case .renderTarget, .textureRead: .framebuffer
      case .textureUpdate: .textureUpdate
      case .bufferUpdate, .bufferRead: .bufferUpdate
      // A block that begins where the driver has none begin is copied first.
      case .uniformRead: [.uniform, .bufferUpdate]
      case .vertexBufferRead: .vertexAttributes
      case .indexBufferRead: .elements
      case .indirectRead: .command
      // A copy that cannot go from buffer to texture directly goes by way of memory.
      case .sharedMemoryRead: [.sharedMemory, .bufferUpdate]
      case .pixelTransfer: [.pixelBuffer, .bufferUpdate]
      case .textureCopy: [.textureUpdate, .framebuffer]
      }
    }

    package var isShaderWrite: Bool {
      switch self {
      case .storageTextureWrite, .storageBufferWrite: true
      default: false
      }
    }

    /// Whether the write of a later shader could overtake it: loads and fetches of all stages (ES 3.1 §7.12.2).
    var isPipelineRead: Bool {
      switch self {
      case .sampledTexture, .storageBufferRead, .uniformRead, .vertexBufferRead, .indexBufferRead, .indirectRead: true
      default: false
      }
    }
  }

  /// One use of one resource.
  package struct Use {
    package var resource: ResourceID
    package var access: Access

    package init(resource: ResourceID, access: Access) {
      self.resource = resource
      self.access = access
    }
  }

  /// For each resource that a shader wrote: the uses that cannot see it yet.
  private var unseen: [ResourceID: BarrierMask] = [:]
  /// For each resource that a dispatch or draw read: the ways of writing by a shader that are not ordered after it yet.
  private var readers: [ResourceID: BarrierMask] = [:]

  package init() {}

  /// The barrier that must stand before a command with `uses`; empty where none is needed.
  package mutating func barrier(before uses: some Collection<Use>) -> BarrierMask {
    var mask: BarrierMask = []
    for use in uses {
      let bits = use.access.bit
      if let waiting = unseen[use.resource] { mask.formUnion(waiting.intersection(bits)) }
      if use.access.isShaderWrite, let waiting = readers[use.resource] { mask.formUnion(waiting.intersection(bits)) }
    }
    if !mask.isEmpty {
      for (resource, bits) in unseen {
        let left = bits.subtracting(mask)
        unseen[resource] = left.isEmpty ? nil : left
      }
      for (resource, bits) in readers {
        let left = bits.subtracting(mask)
        readers[resource] = left.isEmpty ? nil : left
      }
    }
    for use in uses {
      if use.access.isShaderWrite { unseen[use.resource] = .all }
      if use.access.isPipelineRead { readers[use.resource] = [.storageTexture, .storageBuffer] }
    }
    return mask
  }

  /// Forgets a resource that is gone.
  package mutating func forget(_ resource: ResourceID) {
    unseen[resource] = nil
    readers[resource] = nil
  }
}
