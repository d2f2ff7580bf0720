internal import SafelightGLES
internal import SafelightImage

/// Derives barriers from what commands read and write; none is written by hand.
///
/// OpenGL ES orders everything except shaders' writes to storage buffers and textures (ES 3.1 §7.12). After such a
/// write the next use of the resource needs one `glMemoryBarrier` with the bit of that use.
package struct BarrierPlan {
  package enum Access {
    case sampledTexture
    case loadedTexture
    case storageTextureWrite
    case storageBufferRead
    case storageBufferWrite
    case renderTarget
    case textureUpdate
    case textureRead
    case bufferUpdate
    case bufferRead
    /// Attributes of vertices.
    case vertexBufferRead
    /// The order of vertices.
    case indexBufferRead
    /// A uniform block read from a buffer.
    case uniformRead
    /// The arguments of an indirect dispatch or draw.
    case indirectRead
    /// The buffer's part in a copy of pixels between a buffer and a texture.
    case pixelTransfer
    /// A read of shared memory by the process.
    case sharedMemoryRead
    /// A copy between textures, by `glCopyImageSubData` or through framebuffers.
    case textureCopy

    var bit: BarrierMask {
      switch self {
      case .sampledTexture: .textureFetch
      case .loadedTexture, .storageTextureWrite: .storageTexture
      case .storageBufferRead, .storageBufferWrite: .storageBuffer
      // glReadPixels reads through a framebuffer.
      case .renderTarget, .textureRead: .framebuffer
      case .textureUpdate: .textureUpdate
      case .bufferUpdate, .bufferRead: .bufferUpdate
      // A block at an offset that the driver does not accept is copied first.
      case .uniformRead: [.uniform, .bufferUpdate]
      case .vertexBufferRead: .vertexAttributes
      case .indexBufferRead: .elements
      case .indirectRead: .command
      // A copy that the driver cannot make directly goes through host memory.
      case .sharedMemoryRead: [.sharedMemory, .bufferUpdate]
      case .pixelTransfer: [.pixelBuffer, .bufferUpdate]
      case .textureCopy: [.textureUpdate, .framebuffer]
      }
    }

    package var isShaderWrite: Bool { self == .storageTextureWrite || self == .storageBufferWrite }

    /// True if a later shader's write could overtake it, as it could loads and fetches of all stages (ES 3.1 §7.12.2).
    var isPipelineRead: Bool {
      switch self {
      case .sampledTexture, .loadedTexture, .storageBufferRead, .uniformRead, .vertexBufferRead, .indexBufferRead,
        .indirectRead:
        true
      default: false
      }
    }
  }

  package struct Use {
    package var resource: ResourceID
    package var access: Access

    package init(resource: ResourceID, access: Access) {
      self.resource = resource
      self.access = access
    }
  }

  /// The uses that cannot yet see a shader's write, by resource.
  private var unseen: [ResourceID: BarrierMask] = [:]
  /// The kinds of shader writes that are not yet ordered after a dispatch's or draw's read, by resource.
  private var readers: [ResourceID: BarrierMask] = [:]

  package init() {}

  /// Returns the barrier needed before a command with `uses`; empty if none is needed.
  package mutating func barrier(before uses: some Collection<Use>) -> BarrierMask {
    var mask: BarrierMask = []
    for use in uses {
      let bits = use.access.bit
      if let waiting = unseen[use.resource] { mask.formUnion(waiting.intersection(bits)) }
      if use.access.isShaderWrite, let waiting = readers[use.resource] { mask.formUnion(waiting.intersection(bits)) }
    }
    if !mask.isEmpty {
      unseen = unseen.mapValues { $0.subtracting(mask) }.filter { !$0.value.isEmpty }
      readers = readers.mapValues { $0.subtracting(mask) }.filter { !$0.value.isEmpty }
    }
    for use in uses {
      if use.access.isShaderWrite { unseen[use.resource] = .all }
      if use.access.isPipelineRead { readers[use.resource] = [.storageTexture, .storageBuffer] }
    }
    return mask
  }

  package mutating func forget(_ resource: ResourceID) {
    unseen[resource] = nil
    readers[resource] = nil
  }
}

/// Orders the commands of one context, by barriers and by waiting.
final class CommandOrder {
  private let context: Context
  private var plan = BarrierPlan()

  init(_ context: Context) { self.context = context }

  /// Issues the barrier that a command with `uses` needs, if any.
  func barrier(before uses: some Collection<BarrierPlan.Use>) throws(SafelightError) {
    let mask = plan.barrier(before: uses)
    if !mask.isEmpty { try context.memoryBarrier(mask) }
  }

  func barrier(before access: BarrierPlan.Access, of resource: ResourceID) throws(SafelightError) {
    try barrier(before: CollectionOfOne(BarrierPlan.Use(resource: resource, access: access)))
  }

  /// Waits up to 30 s for all work so far, before reads that would wait forever for a hung GPU.
  func wait(_ label: String) throws(SafelightError) { try context.wait(seconds: 30, during: label) }

  func forget(_ resource: ResourceID) { plan.forget(resource) }
}
