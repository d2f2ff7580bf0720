internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// The words of a call on second pictures that are not there or have another size: `missing`, `fit`, `gravity` and
/// `color`, which every filter with second pictures takes.
struct SecondRule: Sendable {
  /// The picture that stands for one that is not there.
  enum Missing: Sendable {
    case refuse, hold, loop
  }

  /// The way in which a picture of another size gets that of the frame.
  enum Fit: Sendable {
    case refuse, contain, cover, stretch
  }

  let missing: Missing
  let fit: Fit
  private let gravity: Gravity
  private let color: String
  private let filter: String

  /// Reads the words of `call`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a color without a use.
  init(_ call: FilterCall) throws(SafelightError) {
    // Those before with are the filter's own, whatever they mean.
    let words = call.arguments.drop { $0.name != "with" }
    func word<Word: ParameterWord>(_ name: String, _ other: Word) -> Word {
      guard case .choice(let text) = words.first(where: { $0.name == name })?.value else { return other }
      return Word.words.first { $0.word == text }?.value ?? other
    }
    filter = call.name
    missing = word("missing", .refuse)
    fit = word("fit", .refuse)
    gravity = word("gravity", .center)
    // A filter's own color serves both.
    color = if case .text(let text) = call["color"] { text } else { "" }
    try ensure(
      color.isEmpty || fit == .contain || !words.contains { $0.name == "color" }, .usage, "\(filter)=color=\(color)",
      why: "nothing lies around the picture", remedy: "write fit=contain, or leave color out")
  }

  /// Makes the rule of masks: there is one for each frame, of its size.
  init(ofMasksOf filter: String) {
    (missing, fit, gravity, color, self.filter) = (.refuse, .refuse, .center, "", filter)
  }

  /// Returns the parameters of filters for second pictures, which `pictures` describes; a word that `kernel` has itself
  /// is its own.
  static func parameters(of kernel: any ImageKernel.Type, pictures: String) -> [KernelParameter] {
    func choice<Word: ParameterWord>(
      _ name: String, _ summary: String, _ type: Word.Type, _ word: String
    ) -> KernelParameter {
      KernelParameter(name, summary, .choice(Word.words.map { ParameterChoice($0.word, $0.summary) }, default: word))
    }
    let words = [
      KernelParameter(
        "with", pictures,
        .pictures(
          areSeveral: kernel is any SeveralPicturesKernel.Type,
          isRequired: !(kernel is any PlacedPictureKernel.Type))),
      choice("missing", "what stands for a second picture that is not there", Missing.self, "refuse"),
      choice("fit", "what is done with a second picture of another size", Fit.self, "refuse"),
      choice("gravity", "where it lies in the frame, or the frame in it", Gravity.self, "center"),
      KernelParameter("color", "the color around it", .text(form: "a color, such as white or #ff8000", default: "")),
    ]
    let own = Set(kernel.ownParameterNames)
    return words.filter { !own.contains($0.name) }
  }

  /// Returns the kernel that gives a picture `size`; nil if it keeps its own.
  private func resize(to size: Size) throws(SafelightError) -> ImageResize? {
    var resize = ImageResize()
    switch fit {
    case .refuse: return nil
    case .contain: (resize.fit, resize.color) = (.contain, color)
    case .cover: resize.fit = .cover
    case .stretch: resize.fit = .stretch
    }
    (resize.width, resize.height, resize.gravity) = (size.width, size.height, gravity)
    do throws(SafelightError) {
      try resize.check()
    } catch {
      throw SafelightError(error.kind, "filter '\(filter)'", why: "\(error.what): \(error.why)", remedy: error.remedy)
    }
    return resize
  }

  /// Returns what pictures like `second` become that go with frames like `frame`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` or `limit` if they cannot be scaled.
  func fitted(_ second: ImageDescriptor, to frame: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    guard second.size != frame.size, let resize = try resize(to: frame.size) else { return second }
    do throws(SafelightError) {
      return try resize.output(of: second.holding(resize))
    } catch {
      throw SafelightError(error.kind, "filter '\(filter)'", why: "\(error.what): \(error.why)", remedy: error.remedy)
    }
  }

  /// Returns `second` with the size of the frame, made on `twins` by the passes of `resize`.
  func fitted(_ second: Image, to size: Size, on twins: SecondTwins) throws -> Image {
    guard second.size != size, let resize = try resize(to: size) else { return second }
    let held = second.descriptor.holding(resize)
    return try twins.image(second.promoted(to: PictureKind(held)), by: resize)
  }
}

/// The CPU, on which second pictures get the size of frames while others are decoded; opened when the first is made.
final class SecondTwins: Sendable {
  private let device = Mutex<Device?>(nil)

  /// Returns what `kernel` makes of `image`.
  func image(_ image: Image, by kernel: some PassKernel) throws -> Image {
    let device = try device.withLock { known in
      let device = try known ?? Device.open(.cpu)
      known = device
      return device
    }
    let stage = try kernel.makeStage(on: device, pipeline: .automatic)
    let made = try stage.output(of: image.descriptor)
    let buffer = device.makeCommandQueue(label: "second pictures").makeCommandBuffer(label: "second picture")
    let source = TiledTexture(image, edge: .max, label: "second picture")
    let target = try TiledTexture(
      device: device, size: made.size, pixelFormat: made.pixelFormat, label: "fitted picture")
    stage.encode(to: buffer, source: source, input: nil, destination: target)
    let readback = target.encodeReadback(to: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
    return Image(made, bytes: try readback.contents())
  }
}

extension ImageDescriptor {
  /// The picture with alpha, if it has colors and that of `resize` is translucent.
  fileprivate func holding(_ resize: ImageResize) -> ImageDescriptor {
    guard channels == .rgb, resize.colorIsTranslucent else { return self }
    return promoted(to: PictureKind(ImageDescriptor(size: size, channels: .rgba, depth: depth)))
  }
}

extension ImageKernel {
  fileprivate static var ownParameterNames: [String] { card.parameters.map(\.parameter.name) }
}

extension SecondRule.Missing: ParameterWord {
  static let words: [(value: Self, word: String, summary: String)] = [
    (.refuse, "refuse", "nothing: the run is refused"), (.hold, "hold", "the last one before"),
    (.loop, "loop", "behind the last one, they begin again; before, the last one before"),
  ]
}

extension SecondRule.Fit: ParameterWord {
  static let words: [(value: Self, word: String, summary: String)] = [
    (.refuse, "refuse", "nothing: it is refused"), (.contain, "contain", "all of it is shown, with a color around it"),
    (.cover, "cover", "it fills the frame, and the rest is cut off"),
    (.stretch, "stretch", "it becomes wider or narrower"),
  ]
}
