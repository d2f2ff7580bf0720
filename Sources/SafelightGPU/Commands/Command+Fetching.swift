internal import SafelightGLES
internal import SafelightImage

extension Command.Draw {
  /// The attachments whose pixels the fragment function reads (`GL_EXT_shader_framebuffer_fetch`).
  var fetchedAttachments: Set<Int> { pipeline.fragment.fetchedAttachments }

  /// Throws where the fragment function reads pixels that the pass has not, or has otherwise.
  func checkFetches() throws(SafelightError) {
    let fetched = try pipeline.fragment.reflection(nil).fetchedColors
    for (index, type) in fetched.sorted(by: { $0.key < $1.key }) {
      guard pass.colorAttachments.indices.contains(index) else {
        throw SafelightError(
          .usage, pipeline.label,
          why: "it reads attachment \(index) by an inout \(type); the pass has \(pass.colorAttachments.count)",
          remedy: "attach a texture there, or declare the colour as out")
      }
      let texture = pass.colorAttachments[index].texture
      guard type.hasPrefix("u") == (texture.pixelFormat.sampleKind == .integer) else {
        throw SafelightError(
          .usage, pipeline.label,
          why:
            "it reads attachment \(index), '\(texture.label)' of \(texture.pixelFormat.rawValue), by an inout \(type)",
          remedy: type.hasPrefix("u") ? "declare an inout vec4" : "declare an inout uvec4")
      }
      try pipeline.checkFetches(ofSamples: texture.descriptor.sampleCount)
    }
  }
}

extension RenderPipelineState {
  /// Throws where the fragment function reads pixels of several samples: it would have to run for each of them.
  func checkFetches(ofSamples count: Int) throws(SafelightError) {
    guard count > 1, !fragment.fetchedAttachments.isEmpty else { return }
    throw SafelightError(
      .unsupported, label, why: "'\(fragment.name)' reads the target's pixel, of which there are \(count) samples",
      remedy: "resolve the target first, and draw into the result")
  }
}
