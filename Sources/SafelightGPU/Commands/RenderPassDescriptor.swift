public import SafelightGLES
internal import SafelightImage

/// The targets of a render pass; Metal's `MTLRenderPassDescriptor`.
public struct RenderPassDescriptor: Sendable {
  /// A target's initial contents.
  public enum LoadAction: Hashable, Sendable {
    /// Undefined: every pixel will be painted.
    case dontCare
    /// The earlier contents.
    case load
    /// Red, green, blue and alpha from 0 to 1, also in integer formats, in which 1 means their maximum.
    case clear(Float, Float, Float, Float)
    /// A color as a fragment function writes it to the format, as in Metal: 0 to 1 for normalized formats, whole
    /// numbers for integers, any for floats.
    case clearColor(ClearColor)
  }

  /// A color to fill a target with; Metal's `MTLClearColor`.
  public struct ClearColor: Hashable, Sendable {
    /// Values from 0 to 1 in normalized formats.
    public var red, green, blue, alpha: Double

    /// Makes a color.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
  }

  /// The fate of a target's contents at the end of the pass.
  public enum StoreAction: String, Codable, Hashable, Sendable {
    /// They are kept.
    case store
    /// They become undefined (`glInvalidateFramebuffer`).
    case dontCare
    /// The mean of each pixel's samples is written to the resolve texture (`glBlitFramebuffer`); the samples become
    /// undefined.
    case multisampleResolve
    /// The mean of each pixel's samples is written to the resolve texture; the samples are kept.
    case storeAndMultisampleResolve
  }

  /// A color target; Metal's `MTLRenderPassColorAttachmentDescriptor`.
  public struct ColorAttachment: DescriptorElement, Sendable {
    /// The texture that is drawn into; required.
    public var texture: Texture?
    /// The level and slice that is drawn into.
    public var image = TextureImage()
    /// Its initial contents.
    public var loadAction: LoadAction
    /// The fate of its contents.
    public var storeAction: StoreAction
    /// The texture to which the pass resolves.
    public var resolveTexture: Texture?
    /// The level and slice of ``resolveTexture``.
    public var resolveImage = TextureImage()

    /// Makes a target whose texture is still to be set.
    public init() { (loadAction, storeAction) = (.dontCare, .store) }

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

    /// The texture, in a pass without ``RenderPassDescriptor/fault(_:)``.
    var target: Texture { texture.attached }
    var size: Size { target.descriptor.size(atLevel: image.level) }
  }

  /// The initial contents of a depth or stencil attachment; Metal's `MTLLoadAction`.
  public enum DepthStencilLoadAction: String, Codable, Hashable, Sendable {
    /// Undefined.
    case dontCare
    /// The earlier contents.
    case load
    /// One number.
    case clear
  }

  /// A target for depths; Metal's `MTLRenderPassDepthAttachmentDescriptor`, with its defaults. Depths are never
  /// resolved.
  public struct DepthAttachment: Sendable {
    /// The texture, of a depth format; nil for no depth test.
    public var texture: Texture?
    /// The level and slice that is used.
    public var image = TextureImage()
    /// Its initial contents.
    public var loadAction: DepthStencilLoadAction
    /// The fate of its contents: `store` or `dontCare`.
    public var storeAction: StoreAction
    /// The depth of a clear, from 0 to 1 (`glClearBufferfv`).
    public var clearDepth: Double

    /// Describes an attachment.
    public init(
      texture: Texture? = nil, loadAction: DepthStencilLoadAction = .clear, storeAction: StoreAction = .dontCare,
      clearDepth: Double = 1
    ) {
      self.texture = texture
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.clearDepth = clearDepth
    }
  }

  /// A target for stencils; Metal's `MTLRenderPassStencilAttachmentDescriptor`, with its defaults.
  public struct StencilAttachment: Sendable {
    /// The texture, of a stencil format, that of the depth attachment if there is one; nil for no stencil test.
    public var texture: Texture?
    /// The level and slice that is used.
    public var image = TextureImage()
    /// Its initial contents.
    public var loadAction: DepthStencilLoadAction
    /// The fate of its contents: `store` or `dontCare`.
    public var storeAction: StoreAction
    /// The stencil of a clear, of which the lowest eight bits count (`glClearBufferiv`).
    public var clearStencil: UInt32

    /// Describes an attachment.
    public init(
      texture: Texture? = nil, loadAction: DepthStencilLoadAction = .clear, storeAction: StoreAction = .dontCare,
      clearStencil: UInt32 = 0
    ) {
      self.texture = texture
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.clearStencil = clearStencil
    }
  }

  /// The color targets, in the order of the fragment function's `location`s; empty in a pass of only depth or stencil.
  /// Every device takes 4.
  public var colorAttachments: DescriptorArray<ColorAttachment>
  /// The target for depths; without a texture there is no depth test.
  public var depthAttachment = DepthAttachment()
  /// The target for stencils; without a texture there is no stencil test.
  public var stencilAttachment = StencilAttachment()
  /// The buffer to which draws report whether any of their pixels passed; see
  /// ``RenderCommandEncoder/setVisibilityResultMode(_:offset:)``.
  public var visibilityResultBuffer: Buffer?

  /// Describes a pass whose textures are still to be set: `colorAttachments[0].texture = target`.
  public init() { colorAttachments = [] }

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
    self.colorAttachments = DescriptorArray(colorAttachments)
    self.depthAttachment = depthAttachment ?? DepthAttachment()
    self.stencilAttachment = stencilAttachment ?? StencilAttachment()
  }

  /// The first color target's texture; traps without one.
  public var texture: Texture {
    get { colorAttachments[0].target }
    set { colorAttachments[0].texture = newValue }
  }

  /// The first color target's initial contents.
  public var loadAction: LoadAction {
    get { colorAttachments[0].loadAction }
    set { colorAttachments[0].loadAction = newValue }
  }
}

extension RenderPassDescriptor {
  var size: Size { colorAttachments.first?.size ?? depthStencils.first?.size ?? Size(0, 0) }

  /// The textures that the pass writes to, including resolve textures.
  var textures: [Texture] {
    colorAttachments.flatMap { [$0.texture, $0.resolveTexture].compactMap(\.self) } + depthStencils.map(\.target)
  }

  /// The textures that draws write to.
  var targets: [Texture] { colorAttachments.map(\.target) + depthStencils.map(\.target) }

  var clears: Bool {
    colorAttachments.contains { $0.loadAction.isClear } || depthStencils.contains { $0.loadAction == .clear }
  }

  /// True if the end of the pass resolves or discards any target.
  var finishes: Bool {
    colorAttachments.contains { $0.storeAction != .store } || depthStencils.contains { $0.storeAction != .store }
  }

  /// The pass as it continues after its first draw.
  var loaded: RenderPassDescriptor {
    var pass = self
    for index in pass.colorAttachments.indices { pass.colorAttachments[index].loadAction = .load }
    pass.depthAttachment.loadAction = .load
    pass.stencilAttachment.loadAction = .load
    return pass
  }

  /// Why the pass contradicts itself; nil if it does not.
  func fault(_ encoder: String) -> String? {
    if let index = colorAttachments.firstIndex(where: { $0.texture == nil }) {
      return "color attachment \(index) of encoder '\(encoder)' has no texture; set colorAttachments[\(index)].texture"
    }
    if targets.isEmpty { return "encoder '\(encoder)' has no attachment; give its pass at least one texture" }
    if let fault = depthStencilFault(encoder) { return fault }
    for attachment in colorAttachments {
      let texture = attachment.target
      if let fault = texture.fault(attachment.image, in: encoder) { return fault }
      guard texture.pixelFormat.isColor else {
        return "encoder '\(encoder)' draws colors into '\(texture.label)' of \(texture.pixelFormat.rawValue); make it "
          + "the pass's depthAttachment or stencilAttachment"
      }
      guard attachment.resolves else { continue }
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

  /// Throws if a device of `capabilities` cannot attach these targets together.
  func check(_ capabilities: Capabilities) throws(SafelightError) {
    let count = colorAttachments.count
    try ensure(
      count <= capabilities.render.colorAttachments, .limit, "render pass",
      why: "it has \(count) attachments; this device takes \(capabilities.render.colorAttachments)",
      remedy: "draw in several passes; 4 attachments work everywhere")
    for texture in textures {
      try texture.checkView(capabilities)
      try texture.checkTarget(capabilities, "be drawn into")
      try texture.descriptor.checkSamples(capabilities, texture.label)
    }
    try checkDepthStencil()
    guard let first = colorAttachments.first else { return }
    for (index, other) in colorAttachments.enumerated().dropFirst() {
      try check(other.target, other.size, fits: first, as: "attachment \(index)")
    }
  }

  private func check(
    _ texture: Texture, _ size: Size, fits first: ColorAttachment, as name: @autoclosure () -> String
  ) throws(SafelightError) {
    let (samples, needed) = (texture.descriptor.sampleCount, first.target.descriptor.sampleCount)
    try ensure(
      size == first.size && samples == needed, .usage, "render pass",
      why:
        "\(name()) '\(texture.label)' has \(size) pixels of \(samples) samples, but attachment 0 "
        + "'\(first.target.label)' \(first.size) of \(needed)",
      remedy: "attach textures of the same size and sample count")
  }
}

extension RenderPassDescriptor.LoadAction {
  var isClear: Bool {
    switch self {
    case .dontCare, .load: false
    case .clear, .clearColor: true
    }
  }

  /// The numbers that a shader would write for the color of a clear; nil for other actions.
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

/// The properties that attachments of depth and of stencil have in common.
protocol DepthStencilAttachment {
  var point: AttachmentPoint { get }
  var texture: Texture? { get }
  var image: TextureImage { get }
  var loadAction: RenderPassDescriptor.DepthStencilLoadAction { get }
  var storeAction: RenderPassDescriptor.StoreAction { get }
  /// The depth or stencil of a clear.
  var clear: Double { get }
}

extension DepthStencilAttachment {
  var noun: String { point == .depth ? "depth" : "stencil" }
  /// The texture of one of ``RenderPassDescriptor/depthStencils``.
  var target: Texture { texture.attached }
  var size: Size { target.descriptor.size(atLevel: image.level) }
}

extension RenderPassDescriptor.DepthAttachment: DepthStencilAttachment {
  var point: AttachmentPoint { .depth }
  var clear: Double { clearDepth }
}

extension RenderPassDescriptor.StencilAttachment: DepthStencilAttachment {
  var point: AttachmentPoint { .stencil }
  var clear: Double { Double(clearStencil) }
}

extension Texture? {
  /// The texture of an attachment; traps without one.
  fileprivate var attached: Texture {
    guard let self else { trap("an attachment of a render pass has no texture; set its texture") }
    return self
  }
}

extension Texture {
  fileprivate func fault(_ image: TextureImage, in encoder: String) -> String? {
    descriptor.has(image)
      ? nil
      : "encoder '\(encoder)' draws into level \(image.level) of slice \(image.slice), which '\(label)' does not have"
  }
}

extension RenderPassDescriptor {
  /// The depth attachment, if there is a depth test.
  var depth: DepthAttachment? { depthAttachment.texture == nil ? nil : depthAttachment }

  /// The stencil attachment, if there is a stencil test.
  var stencil: StencilAttachment? { stencilAttachment.texture == nil ? nil : stencilAttachment }

  var depthStencils: [any DepthStencilAttachment] {
    let attachments: [(any DepthStencilAttachment)?] = [depth, stencil]
    return attachments.compactMap(\.self)
  }

  private func depthStencilFault(_ encoder: String) -> String? {
    for target in depthStencils {
      let (texture, format) = (target.target, target.target.pixelFormat)
      if let fault = texture.fault(target.image, in: encoder) { return fault }
      guard target.point == .depth ? format.hasDepth : format.hasStencil else {
        return "encoder '\(encoder)' keeps \(target.noun) in '\(texture.label)' of \(format.rawValue); attach one of "
          + (target.point == .depth ? "depth16Unorm, depth32Float or " : "stencil8 or ") + "depth32Float_stencil8"
      }
      guard target.storeAction == .store || target.storeAction == .dontCare else {
        return "encoder '\(encoder)' resolves \(target.noun) of '\(texture.label)'; store it, and draw what you need "
          + "of it into a color attachment, which can be resolved"
      }
    }
    guard let depth = depth?.clearDepth, !(0...1).contains(depth) else { return nil }
    return "encoder '\(encoder)' clears depth to \(depth); use 0 to 1"
  }

  /// Throws if depth and stencil cannot be attached together, or not with the colors.
  private func checkDepthStencil() throws(SafelightError) {
    if let depth, let stencil,
      depth.texture !== stencil.texture || depth.image != stencil.image
    {
      // ES 3.1 §9.4.2.
      throw SafelightError(
        .unsupported, "render pass",
        why: "its depth lies in '\(depth.target.label)', its stencil in '\(stencil.target.label)'",
        remedy: "attach one texture of depth32Float_stencil8 to both")
    }
    guard let color = colorAttachments.first else { return }
    for target in depthStencils {
      try check(target.target, target.size, fits: color, as: "the \(target.noun) attachment")
    }
  }
}
