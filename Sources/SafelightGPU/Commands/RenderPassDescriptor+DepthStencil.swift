public import SafelightGLES
internal import SafelightImage

extension RenderPassDescriptor {
  /// How depths or stencils begin; Metal's `MTLLoadAction`.
  public enum DepthStencilLoadAction: String, Codable, Hashable, Sendable {
    /// With anything.
    case dontCare
    /// Earlier contents stay.
    case load
    /// Filled with one number.
    case clear
  }

  /// Where depths are tested and kept; Metal's `MTLRenderPassDepthAttachmentDescriptor`, with its defaults. Depths are never resolved.
  public struct DepthAttachment: Sendable {
    /// The texture, of a format of depth.
    public var texture: Texture
    /// The level and slice of it that is used.
    public var image = TextureImage()
    /// How it begins.
    public var loadAction: DepthStencilLoadAction
    /// What becomes of it: `store` or `dontCare`.
    public var storeAction: StoreAction
    /// The depth it is filled with, from 0 to 1 (`glClearBufferfv`).
    public var clearDepth: Double

    /// Describes an attachment.
    public init(
      texture: Texture, loadAction: DepthStencilLoadAction = .clear, storeAction: StoreAction = .dontCare,
      clearDepth: Double = 1
    ) {
      self.texture = texture
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.clearDepth = clearDepth
    }
  }

  /// Where stencils are tested and kept; Metal's `MTLRenderPassStencilAttachmentDescriptor`, with its defaults.
  public struct StencilAttachment: Sendable {
    /// The texture, of a format of stencil; with a depth attachment the same as that.
    public var texture: Texture
    /// The level and slice of it that is used.
    public var image = TextureImage()
    /// How it begins.
    public var loadAction: DepthStencilLoadAction
    /// What becomes of it: `store` or `dontCare`.
    public var storeAction: StoreAction
    /// The number it is filled with; the lowest eight bits count (`glClearBufferiv`).
    public var clearStencil: UInt32

    /// Describes an attachment.
    public init(
      texture: Texture, loadAction: DepthStencilLoadAction = .clear, storeAction: StoreAction = .dontCare,
      clearStencil: UInt32 = 0
    ) {
      self.texture = texture
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.clearStencil = clearStencil
    }
  }
}

// MARK: Both alike

extension RenderPassDescriptor {
  /// What depth and stencil attachments have in common.
  struct DepthStencilTarget {
    let point: AttachmentPoint
    let texture: Texture
    let image: TextureImage
    let loadAction: DepthStencilLoadAction
    let storeAction: StoreAction

    var noun: String { point == .depth ? "depth" : "stencil" }
    var size: Size { texture.descriptor.size(atLevel: image.level) }
  }

  /// The depth and the stencil attachment, as far as they are there.
  var depthStencilTargets: [DepthStencilTarget] {
    let depth = depthAttachment.map {
      DepthStencilTarget(
        point: .depth, texture: $0.texture, image: $0.image, loadAction: $0.loadAction, storeAction: $0.storeAction)
    }
    let stencil = stencilAttachment.map {
      DepthStencilTarget(
        point: .stencil, texture: $0.texture, image: $0.image, loadAction: $0.loadAction, storeAction: $0.storeAction)
    }
    return [depth, stencil].compactMap(\.self)
  }

  /// Why the attachments of depth and stencil are none; nil where they are.
  func depthStencilFault(_ encoder: String) -> String? {
    for target in depthStencilTargets {
      let (texture, format) = (target.texture, target.texture.pixelFormat)
      if let fault = texture.fault(target.image, in: encoder) { return fault }
      guard target.point == .depth ? format.hasDepth : format.hasStencil else {
        return "encoder '\(encoder)' keeps \(target.noun) in '\(texture.label)' of \(format.rawValue); attach one of "
          + (target.point == .depth ? "depth16Unorm, depth32Float or " : "stencil8 or ") + "depth32Float_stencil8"
      }
      guard target.storeAction == .store || target.storeAction == .dontCare else {
        return
          "encoder '\(encoder)' resolves \(target.noun) of '\(texture.label)'; store it, and draw what you need of it "
          + "into a colour attachment, which can be resolved"
      }
    }
    guard let depth = depthAttachment?.clearDepth, !(0...1).contains(depth) else { return nil }
    return "encoder '\(encoder)' clears depth to \(depth); use 0 to 1"
  }

  /// Throws where depths and stencils cannot be attached together, or not to the colours.
  func checkDepthStencil() throws(SafelightError) {
    if let depth = depthAttachment, let stencil = stencilAttachment,
      depth.texture !== stencil.texture || depth.image != stencil.image
    {
      // ES 3.1 §9.4.2.
      throw SafelightError(
        .unsupported, "render pass",
        why: "its depth lies in '\(depth.texture.label)', its stencil in '\(stencil.texture.label)'",
        remedy: "attach one texture of depth32Float_stencil8 to both")
    }
    guard let color = colorAttachments.first else { return }
    for target in depthStencilTargets {
      let (samples, needed) = (target.texture.descriptor.sampleCount, color.texture.descriptor.sampleCount)
      guard target.size != color.size || samples != needed else { continue }
      throw SafelightError(
        .usage, "render pass",
        why:
          "the \(target.noun) attachment '\(target.texture.label)' has \(target.size) pixels of \(samples) samples, attachment 0 '\(color.texture.label)' \(color.size) of \(needed)",
        remedy: "attach textures of one size")
    }
  }
}

extension RenderPassDescriptor.DepthAttachment {
  /// The depth that it begins with; nil where it is not cleared.
  var clearValue: Float? { loadAction == .clear ? Float(clearDepth) : nil }
}

extension RenderPassDescriptor.StencilAttachment {
  /// The number that it begins with; nil where it is not cleared.
  var clearValue: UInt32? { loadAction == .clear ? clearStencil & 0xff : nil }
}
