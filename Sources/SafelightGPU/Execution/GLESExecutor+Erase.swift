internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func erase(_ id: ResourceID) {
    do throws(SafelightError) {
      if let texture = textures[id] {
        // Cleared by drawing, or by an upload where the format cannot be drawn into.
        try order([
          BarrierPlan.Use(resource: id, access: .renderTarget), BarrierPlan.Use(resource: id, access: .textureUpdate),
        ])
        try texture.clearAll()
      }
      if let buffer = buffers[id] {
        try order([BarrierPlan.Use(resource: id, access: .bufferUpdate)])
        try buffer.write([UInt8](repeating: 0, count: buffer.length), at: 0)
      }
      try context.check("erasing a resource")
    } catch {
      // What cannot be erased is made anew, and what keeps it from that is told by the command that needs it.
      release(id)
    }
  }
}
