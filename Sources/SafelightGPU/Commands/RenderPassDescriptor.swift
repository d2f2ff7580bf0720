public import SafelightGLES
internal import SafelightImage

/// The targets of a render pass; Metal's `MTLRenderPassDescriptor`.
public struct RenderPassDescriptor: Sendable {
  /// How a target begins.
  public enum LoadAction: Hashable, Sendable {
    /// Every pixel will be painted.
    case dontCare
    /// Earlier contents stay.
    case load
    /// Filled with red, green, blue and alpha from 0 to 1, also where the format holds integers: 1 is their maximum.
    case clear(Float, Float, Float, Float)
    /// Filled with a colour in the numbers that a fragment function writes to the format, as in Metal: 0 to 1 for normalised
    /// formats, whole numbers for integers, any for floats.
    case clearColor(ClearColor)
  }

  /// What becomes of a target at the end of the pass.
  public enum StoreAction: String, Codable, Hashable, Sendable {
    /// It is kept.
    case store
    /// Nobody will read it (`glInvalidateFramebuffer`); it holds anything afterwards.
    case dontCare
    /// The mean of each pixel's samples is written to the resolve texture; the samples hold anything afterwards
    /// (`glBlitFramebuffer`).
    case multisampleResolve
    /// As before, and the samples are kept.
    case storeAndMultisampleResolve
  }

  /// One target; Metal's `MTLRenderPassColorAttachmentDescriptor`.
  public struct ColorAttachment: Sendable {
    /// The texture.
    public var texture: Texture
    /// The level and slice of it that is drawn into.
    public var image = TextureImage()
    /// How it begins.
    public var loadAction: LoadAction
    /// What becomes of it.
    public var storeAction: StoreAction
    /// Where the pass resolves to.
    public var resolveTexture: Texture?
    /// The level and slice of that.
    public var resolveImage = TextureImage()

    /// Describes a target.
    public init(
      texture: Texture, loadAction: LoadAction = .dontCare, storeAction: StoreAction = .store,
      resolveTexture: Texture? = nil
    ) {
      self.texture = texture
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.resolveTexture = resolveTexture
    }

    /// Columns and rows that are drawn into.
    var size: Size { texture.descriptor.size(atLevel: image.level) }
  }

  /// The targets, in the order of the fragment function's `location`s; none in a pass of depth or stencil alone. 4 are possible
  /// everywhere.
  public var colorAttachments: [ColorAttachment]
  /// Where depths are tested and kept; nil for no test.
  public var depthAttachment: DepthAttachment?
  /// Where stencils are tested and kept; nil for no test.
  public var stencilAttachment: StencilAttachment?
  /// Where draws say whether any of their pixels passed; see ``RenderCommandEncoder/setVisibilityResultMode(_:offset:)``.
  public var visibilityResultBuffer: Buffer?

  /// Describes a pass into `texture`.
  public init(texture: Texture, loadAction: LoadAction = .dontCare) {
    colorAttachments = [ColorAttachment(texture: texture, loadAction: loadAction)]
  }

  /// Describes a pass into several textures of one size.
  public init(
    colorAttachments: [ColorAttachment], depthAttachment: DepthAttachment? = nil,
    stencilAttachment: StencilAttachment? = nil
  ) {
    trap(
      unless: !colorAttachments.isEmpty || depthAttachment != nil || stencilAttachment != nil,
      "a render pass without an attachment draws nothing; give it at least one texture")
    self.colorAttachments = colorAttachments
    self.depthAttachment = depthAttachment
    self.stencilAttachment = stencilAttachment
  }

  /// The first target; a pass of depth or stencil alone has none.
  public var texture: Texture {
    get { colorAttachments[0].texture }
    set { colorAttachments[0].texture = newValue }
  }

  /// How the first target begins; a pass of depth or stencil alone has none.
  public var loadAction: LoadAction {
    get { colorAttachments[0].loadAction }
    set { colorAttachments[0].loadAction = newValue }
  }
}

extension RenderPassDescriptor {
  /// Columns and rows of the targets.
  var size: Size { colorAttachments.first?.size ?? depthStencilTargets.first?.size ?? Size(0, 0) }

  /// Everything that the pass writes to.
  var textures: [Texture] {
    colorAttachments.flatMap { [$0.texture, $0.resolveTexture].compactMap(\.self) } + depthStencilTargets.map(\.texture)
  }

  /// Everything that draws write to.
  var targets: [Texture] { colorAttachments.map(\.texture) + depthStencilTargets.map(\.texture) }

  /// Whether a target begins with a colour, a depth or a stencil.
  var clears: Bool {
    colorAttachments.contains { $0.loadAction.isClear } || depthStencilTargets.contains { $0.loadAction == .clear }
  }

  /// Whether something happens at the end.
  var finishes: Bool {
    colorAttachments.contains { $0.storeAction != .store } || depthStencilTargets.contains { $0.storeAction != .store }
  }

  /// The same pass after its first draw.
  var loaded: RenderPassDescriptor {
    var pass = self
    for index in pass.colorAttachments.indices { pass.colorAttachments[index].loadAction = .load }
    pass.depthAttachment?.loadAction = .load
    pass.stencilAttachment?.loadAction = .load
    return pass
  }

  /// Traps where the pass is none in itself; called when it begins.
  func check(_ encoder: String) { if let fault = fault(encoder) { trap(fault) } }

  /// Why the pass is none in itself; nil where it is one.
  func fault(_ encoder: String) -> String? {
    if targets.isEmpty { return "encoder '\(encoder)' has no attachment; give its pass at least one texture" }
    if let fault = depthStencilFault(encoder) { return fault }
    for attachment in colorAttachments {
      let texture = attachment.texture
      if let fault = texture.fault(attachment.image, in: encoder) { return fault }
      guard texture.pixelFormat.isColor else {
        return
          "encoder '\(encoder)' draws colours into '\(texture.label)' of \(texture.pixelFormat.rawValue); make it the "
          + "pass's depthAttachment or stencilAttachment"
      }
      guard attachment.storeAction == .multisampleResolve || attachment.storeAction == .storeAndMultisampleResolve
      else { continue }
      guard let target = attachment.resolveTexture else {
        return "encoder '\(encoder)' resolves '\(texture.label)' to nothing; set resolveTexture"
      }
      if let fault = target.fault(attachment.resolveImage, in: encoder) { return fault }
      if texture.descriptor.sampleCount == 1 || target.descriptor.sampleCount > 1 {
        return "encoder '\(encoder)' resolves '\(texture.label)' of \(texture.descriptor.sampleCount) samples to "
          + "'\(target.label)' of \(target.descriptor.sampleCount); several and 1 are needed"
      }
      if target.pixelFormat != texture.pixelFormat
        || target.descriptor.size(atLevel: attachment.resolveImage.level) != attachment.size
      {
        return "encoder '\(encoder)' resolves '\(texture.label)' to '\(target.label)', which differs in size or format"
      }
    }
    return nil
  }

  /// Throws where a device of `capabilities` cannot attach these targets together.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    let count = colorAttachments.count
    guard count <= capabilities.render.colorAttachments else {
      throw SafelightError(
        .limit, "render pass",
        why: "it has \(count) attachments; this device takes \(capabilities.render.colorAttachments)",
        remedy: "draw in several passes; 4 attachments work everywhere")
    }
    for texture in textures {
      try texture.checkView(capabilities)
      try texture.checkTarget(capabilities, "be drawn into")
      try texture.descriptor.checkSamples(capabilities, texture.label)
    }
    try checkDepthStencil()
    guard let first = colorAttachments.first else { return }
    for (index, other) in colorAttachments.enumerated().dropFirst() {
      guard other.size == first.size, other.texture.descriptor.sampleCount == first.texture.descriptor.sampleCount
      else {
        throw SafelightError(
          .usage, "render pass",
          why:
            "attachment \(index) '\(other.texture.label)' has \(other.size) pixels of \(other.texture.descriptor.sampleCount) samples, attachment 0 '\(first.texture.label)' \(first.size) of \(first.texture.descriptor.sampleCount)",
          remedy: "attach textures of one size")
      }
    }
  }
}

extension RenderPassDescriptor.LoadAction {
  var isClear: Bool {
    switch self {
    case .dontCare, .load: false
    case .clear, .clearColor: true
    }
  }

  /// The numbers that a shader would write for the same colour; nil where there is none.
  func clearValue(_ format: PixelFormat) -> ClearValue? {
    switch self {
    case .dontCare, .load: return nil
    case .clear(let red, let green, let blue, let alpha):
      let values = [red, green, blue, alpha]
      guard format.sampleKind == .integer else { return .floats(values) }
      return .words(values.map { UInt32(format.sample(normalized: $0)) })
    case .clearColor(let color):
      let values = [color.red, color.green, color.blue, color.alpha]
      guard format.sampleKind == .integer else { return .floats(values.map { Float($0) }) }
      return .words(values.map { UInt32(max(0, min(Double(format.maximum), $0.isNaN ? 0 : $0))) })
    }
  }
}

extension Texture {
  func fault(_ image: TextureImage, in encoder: String) -> String? {
    let isThere =
      (0..<descriptor.mipmapLevelCount).contains(image.level)
      && (0..<descriptor.sliceCount(atLevel: image.level)).contains(image.slice)
    return isThere
      ? nil
      : "encoder '\(encoder)' draws into level \(image.level) of slice \(image.slice), which '\(label)' does not have"
  }
}

extension RenderPassDescriptor {
  /// What a render pass fills a target with; Metal's `MTLClearColor`.
  public struct ClearColor: Hashable, Sendable {
    /// Red, from 0 to 1 in normalised formats.
    public var red: Double
    /// Green, likewise.
    public var green: Double
    /// Blue, likewise.
    public var blue: Double
    /// Alpha, likewise.
    public var alpha: Double

    /// Makes a colour.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }
}
