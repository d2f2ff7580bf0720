internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    _ = try object(texture)
    return copied[texture.lifetime.id]
  }

  /// An object over shared memory where the driver takes it, else one of its own and the reason.
  func shared(_ texture: Texture, _ plane: SharedPlane) throws(SafelightError) -> TextureObject {
    do throws(SafelightError) {
      return try TextureObject(context, importing: plane.buffer, plane: plane.index, label: texture.label)
    } catch {
      guard error.kind == .unsupported else { throw error }
      copied[texture.lifetime.id] = error
      return try TextureObject(context, texture.descriptor, label: texture.label)
    }
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: texture.hazard, access: .textureUpdate)])
    let object = try object(texture)
    if rows.isReadAsStored, let rowLength = rows.rowLength {
      return unsafe try object.upload(TextureImage(), texture.bounds, from: rows.base, rowLength: rowLength)
    }
    unsafe try withStaging(rows.byteCount) { bytes throws(SafelightError) in
      unsafe rows.copy(to: bytes)
      unsafe try object.upload(TextureImage(), texture.bounds, from: bytes, rowLength: texture.size.width)
    }
  }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: texture.hazard, access: .textureRead)])
    let object = try object(texture)
    try wait("copy to shared memory")
    if rows.isWrittenAsStored, let rowLength = rows.rowLength {
      return unsafe try object.read(TextureImage(), texture.bounds, into: rows.base, rowLength: rowLength)
    }
    unsafe try withStaging(rows.byteCount) { bytes throws(SafelightError) in
      unsafe try object.read(TextureImage(), texture.bounds, into: bytes, rowLength: texture.size.width)
      unsafe rows.copy(from: bytes)
    }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    try order([BarrierPlan.Use(resource: texture.hazard, access: .textureRead)])
    let object = try object(texture)
    try wait("export")
    return try object.export()
  }

  /// Calls `body` with ``staging`` of at least `count` bytes, taken out meanwhile so that it is not copied.
  private func withStaging(
    _ count: Int, _ body: (UnsafeMutableRawPointer) throws(SafelightError) -> Void
  ) throws(SafelightError) {
    var staged = staging
    staging = []
    defer { staging = staged }
    if staged.count < count {
      staged = [UInt8](repeating: 0, count: count)
      transferAllocations += 1
    }
    unsafe try staged.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try body(UnsafeMutableRawPointer(base))
    }
  }
}
