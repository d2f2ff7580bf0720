package import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A pass of a kernel's call for a picture, or of several that are joined, as a text in captures: `median=diameter=5 of
/// rgba straight rgba8Unorm 17 11 pass 0`. Before the pass stand the sizes of second pictures, `with 5x4,6x6`, and what
/// a position is to the kernel, `at 3`, if that matters.
///
/// A replay makes the passes again, and so the one with the twin; nothing else in a capture says what the twin does.
package struct PassOrigin: CustomStringConvertible {
  /// The kernels' calls, as a chain states them.
  package let call: String
  /// The picture of the first kernel.
  package let source: PassPicture
  /// The number of the pass among those that are recorded.
  let pass: Int

  init(call: String, source: PassPicture, pass: Int) {
    self.call = call
    self.source = source
    self.pass = pass
  }

  /// Reads a text; nil if it names no picture and pass.
  package init?(_ text: String) {
    let form =
      #/(.+) of (\S+) (\S+) (\S+) (\d{1,6}) (\d{1,6})(?: with (\d[\dx,]*))?(?: at (\d{1,8}))? pass (\d{1,4})/#
    guard let parts = text.wholeMatch(of: form)?.output, let channels = Channels(rawValue: String(parts.2)),
      let format = PixelFormat(rawValue: String(parts.4)), format.isColor,
      format.bytesPerSample <= 2 || format.sampleKind == .float,
      let alpha = AlphaMode(rawValue: String(parts.3)), let width = Int(parts.5), let height = Int(parts.6), width > 0,
      height > 0, let pass = Int(parts.9)
    else { return nil }
    let seconds = (parts.7 ?? "").split(separator: ",").map { $0.split(separator: "x").compactMap { Int($0) } }
    guard seconds.allSatisfy({ $0.count == 2 && $0.allSatisfy((1..<1_000_000).contains) }) else { return nil }
    let depth = format.depth
    // Two channels have no descriptor of their own.
    let samples = format.samplesPerPixel == 2 ? 4 : format.samplesPerPixel
    guard PixelFormat(channels: channels, depth: depth).samplesPerPixel == samples else { return nil }
    var image = ImageDescriptor(size: Size(width, height), channels: channels, depth: depth)
    image.color.alpha = alpha
    let source = PassPicture(
      image, format, secondSizes: seconds.map { Size($0[0], $0[1]) }, moment: parts.8.flatMap { Int($0) })
    self.init(call: String(parts.1), source: source, pass: pass)
  }

  package var description: String {
    let (image, size) = (source.image, source.size)
    let seconds = source.secondSizes.map { "\($0.width)x\($0.height)" }.joined(separator: ",")
    return "\(call) of \(image.channels) \(image.color.alpha) \(source.pixelFormat.rawValue) \(size.width) "
      + "\(size.height)\(seconds.isEmpty ? "" : " with ")\(seconds)\(source.moment.map { " at \($0)" } ?? "") "
      + "pass \(pass)"
  }

  /// Returns the twin of the pass that `kernels` make, if its function in one of its pipelines has these arguments and
  /// this complete text.
  package func twin(
    of kernels: [AppliedKernel], text: String, arguments: [ShaderArgument]
  ) -> ShaderTwin? {
    // No device records others.
    guard kernels.allSatisfy({ $0.kernel.takes(source.pixelFormat) }),
      kernels.count == 1 || kernels.allSatisfy(\.isPointwise),
      let plan = try? PassPlan(kernels.map { $0.reading(source.secondSizes.count) }, for: source, edge: .max)
    else { return nil }
    return twin(in: plan, text: text, arguments: arguments)
  }

  /// Returns the twin of the pass of a ``PassCall``, likewise.
  package func twinOfCall(text: String, arguments: [ShaderArgument]) -> ShaderTwin? {
    let kinds: [any PassCall.Type] = [HistogramCall.self, RenderCall.self, ScaleCall.self, YCbCrCall.self]
    let plan = kinds.lazy.compactMap { $0.init(call)?.plan(for: source) }.first
    return plan.flatMap { twin(in: $0, text: text, arguments: arguments) }
  }

  private func twin(in plan: PassPlan, text: String, arguments: [ShaderArgument]) -> ShaderTwin? {
    guard plan.nodes.indices.contains(pass) else { return nil }
    let node = plan.nodes[pass]
    // Copies are recorded as commands, without an origin.
    guard node.group.first.kind != .copy else { return nil }
    // Tables and numbers never lie in parts.
    let readsPictures = !node.group.inputs.allSatisfy(\.resource.isHeldWhole)
    for program in node.whole.variants + (readsPictures ? node.parts.variants : []) {
      let function = program.pipelines.functions.first { function in
        function.arguments == arguments && (try? function.assembly.shader().text) == text
      }
      guard let function, let twin = function.twin else { continue }
      let sizes = zip([node.made] + node.read, [program.output] + program.inputs).compactMap { shape, slot in
        slot.isWords ? nil : shape.size
      }
      return ShaderTwin { bound in
        let isBound = function.arguments.allSatisfy(bound.binds)
        guard isBound, program.sizes(bound) == sizes, program.isSound(bound, for: node),
          node.group.blocks.allSatisfy({ bound.words($0.binding) == $0.bytes.words }), node.group.bindsTables(bound)
        else {
          throw SafelightError(
            .input, function.name, why: "\(call) has other uniforms, tables, bindings, sizes or threads",
            remedy: "replay it on a device with OpenGL ES, or capture again")
        }
        try twin.run(bound)
      }
    }
    return nil
  }
}

extension PassGroup {
  /// Returns whether the textures of `bound`, which have the sizes of the tables, hold their entries.
  fileprivate func bindsTables(_ bound: TwinArguments) -> Bool {
    inputs.enumerated().allSatisfy { number, input in
      guard case .table(let table) = input.resource else { return true }
      let texture = bound.texture(PassProgram.index(ofInput: number))
      let entries = table.value.entries()
      return unsafe texture.pixelFormat == .rgba16Uint
        && texture.withSamples(of: UInt16.self) { unsafe $0.elementsEqual(entries) }
    }
  }
}

/// A call of a kernel by an app, not by a filter: the passes that the kernel records, and the text by which a capture
/// finds their twins.
protocol PassCall: Hashable, Sendable {
  /// The call in captures: a name and the parameters, floats by their bits.
  var text: String { get }

  /// Reads a text; nil for all that no kernel records.
  init?(_ text: String)

  /// Returns the checked passes for `picture`; nil if the kernel takes no such pictures.
  func plan(for picture: PassPicture) -> PassPlan?
}
