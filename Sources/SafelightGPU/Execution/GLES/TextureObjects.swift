internal import SafelightGLES
internal import SafelightImage

final class TextureObjects {
  private let context: Context
  private let order: CommandOrder
  private let transfer: TransferMemory
  private unowned let home: DeviceThread
  private var textures: [ResourceID: TextureObject] = [:]
  private var samplers: [ResourceID: SamplerObject] = [:]
  /// The driver's reasons for refusing to import the memory of textures; these are copied.
  private var copyReasons: [ResourceID: SafelightError] = [:]

  init(_ context: Context, _ order: CommandOrder, _ transfer: TransferMemory, home: DeviceThread) {
    self.context = context
    self.order = order
    self.transfer = transfer
    self.home = home
  }

  var count: Int { textures.count }
  var byteCount: Int { textures.values.reduce(0) { $0 + $1.descriptor.byteCount } }
  var samplerCount: Int { samplers.count }

  func object(_ texture: Texture) throws(SafelightError) -> TextureObject {
    let id = texture.lifetime.id
    if let object = textures[id] { return object }
    let object =
      if let plane = texture.sharedPlane { try imported(texture, plane) } else if let parent = texture.parent {
        try TextureObject(
          viewOf: object(parent), texture.descriptor, levels: texture.parentLevels, slices: texture.parentSlices,
          label: texture.label)
      } else {
        try TextureObject(context, texture.descriptor, label: texture.label)
      }
    if let contents = texture.contents {
      unsafe try contents.withUnsafeBufferPointer { bytes throws(SafelightError) in
        unsafe try object.upload(TextureImage(), texture.bounds, from: bytes.baseAddress, rowLength: texture.size.width)
      }
    }
    textures[id] = object
    texture.lifetime.settle(in: home)
    return object
  }

  func object(_ sampler: SamplerState) throws(SafelightError) -> SamplerObject {
    let id = sampler.lifetime.id
    if let object = samplers[id] { return object }
    let object = try SamplerObject(context, sampler.descriptor, label: sampler.label)
    samplers[id] = object
    sampler.lifetime.settle(in: home)
    return object
  }

  /// Fills a texture that has storage with zeros: by drawing, or by an upload if its format cannot be drawn into.
  func erase(_ id: ResourceID) throws(SafelightError) {
    guard let texture = textures[id] else { return }
    try order.barrier(before: [
      BarrierPlan.Use(resource: id, access: .renderTarget), BarrierPlan.Use(resource: id, access: .textureUpdate),
    ])
    try texture.clearAll()
  }

  func release(_ id: ResourceID) -> TextureObject? {
    samplers[id] = nil
    copyReasons[id] = nil
    return textures.removeValue(forKey: id)
  }

  // MARK: Memory shared with others

  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    _ = try object(texture)
    return copyReasons[texture.lifetime.id]
  }

  /// An object over shared memory if the driver takes it, else one of its own.
  private func imported(_ texture: Texture, _ plane: SharedPlane) throws(SafelightError) -> TextureObject {
    do throws(SafelightError) {
      return try TextureObject(context, importing: plane.buffer, plane: plane.index, label: texture.label)
    } catch {
      guard error.kind == .unsupported else { throw error }
      copyReasons[texture.lifetime.id] = error
      return try TextureObject(context, texture.descriptor, label: texture.label)
    }
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) {
    try order.barrier(before: .textureUpdate, of: texture.hazard)
    let object = try object(texture)
    if rows.isReadAsStored, let rowLength = rows.rowLength {
      return unsafe try object.upload(TextureImage(), texture.bounds, from: rows.base, rowLength: rowLength)
    }
    unsafe try transfer.withStaging(rows.byteCount) { bytes throws(SafelightError) in
      unsafe rows.copy(to: bytes)
      unsafe try object.upload(TextureImage(), texture.bounds, from: bytes, rowLength: texture.size.width)
    }
  }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try order.barrier(before: .textureRead, of: texture.hazard)
    let object = try object(texture)
    try order.wait("copy to shared memory")
    if rows.isWrittenAsStored, let rowLength = rows.rowLength {
      return unsafe try object.read(TextureImage(), texture.bounds, into: rows.base, rowLength: rowLength)
    }
    unsafe try transfer.withStaging(rows.byteCount) { bytes throws(SafelightError) in
      unsafe try object.read(TextureImage(), texture.bounds, into: bytes, rowLength: texture.size.width)
      unsafe rows.copy(from: bytes)
    }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    try order.barrier(before: .textureRead, of: texture.hazard)
    let object = try object(texture)
    try order.wait("export")
    return try object.export()
  }
}
