package import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A pass of a kernel's call for a picture, as a text in captures: `median=diameter=5 of rgba straight rgba8Unorm 17 11
/// pass 0`.
///
/// A replay makes the kernel again, and so its pass with the twin; nothing else in a capture says what the twin does.
package struct PassOrigin: CustomStringConvertible {
  /// The kernel's call, as a chain states it.
  package let call: String
  /// The kernel's picture.
  package let source: PassPicture
  /// The number of the pass.
  let pass: Int

  init(call: String, source: PassPicture, pass: Int) {
    self.call = call
    self.source = source
    self.pass = pass
  }

  /// Reads a text; nil if it names no picture and pass.
  package init?(_ text: String) {
    let form = #/(.+) of (\S+) (\S+) (\S+) (\d{1,6}) (\d{1,6}) pass (\d{1,4})/#
    guard let parts = text.wholeMatch(of: form)?.output, let channels = Channels(rawValue: String(parts.2)),
      let format = PixelFormat(rawValue: String(parts.4)), PixelFormat.pointFormats.contains(format),
      let alpha = AlphaMode(rawValue: String(parts.3)), let width = Int(parts.5), let height = Int(parts.6), width > 0,
      height > 0, let pass = Int(parts.7)
    else { return nil }
    let depth = format.depth
    // Two channels have no descriptor of their own.
    let samples = format.samplesPerPixel == 2 ? 4 : format.samplesPerPixel
    guard PixelFormat(channels: channels, depth: depth).samplesPerPixel == samples else { return nil }
    var image = ImageDescriptor(size: Size(width, height), channels: channels, depth: depth)
    image.color.alpha = alpha
    self.init(call: String(parts.1), source: PassPicture(image, format), pass: pass)
  }

  package var description: String {
    let (image, size) = (source.image, source.size)
    return "\(call) of \(image.channels) \(image.color.alpha) \(source.pixelFormat.rawValue) \(size.width) "
      + "\(size.height) pass \(pass)"
  }

  /// Returns the twin of the pass that `kernel` makes, if its function in one of its forms has these arguments and this
  /// complete text.
  package func twin(
    of kernel: some PassKernel, text: String, arguments: [ShaderArgument]
  ) -> ShaderTwin? {
    guard let plan = try? kernel.plan(for: source, edge: .max), plan.nodes.indices.contains(pass) else { return nil }
    let node = plan.nodes[pass]
    for program in [node.whole, node.parts] {
      let function = program.forms.functions.first { function in
        function.arguments == arguments && (try? function.assembly.shader().text) == text
      }
      guard let function, let twin = function.twin else { continue }
      let uniforms = node.pass.uniforms.words
      let sizes = [node.made.size] + node.read.map(\.size)
      return ShaderTwin { bound in
        let isBound = function.arguments.allSatisfy(bound.binds)
        guard isBound, uniforms.isEmpty || bound.words(2) == uniforms, program.sizes(bound) == sizes else {
          throw SafelightError(
            .input, function.name, why: "\(call) has other uniforms, bindings or sizes",
            remedy: "replay it on a device with OpenGL ES, or capture again")
        }
        try twin.run(bound)
      }
    }
    return nil
  }
}
