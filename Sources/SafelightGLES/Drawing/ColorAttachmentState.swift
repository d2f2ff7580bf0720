internal import CGLES
public import SafelightImage

/// What a factor of the blend formula is; Metal's `MTLBlendFactor`.
public enum BlendFactor: String, Codable, Hashable, Sendable, CaseIterable {
  case zero, one, sourceColor, oneMinusSourceColor, sourceAlpha, oneMinusSourceAlpha, destinationColor
  case oneMinusDestinationColor, destinationAlpha, oneMinusDestinationAlpha, sourceAlphaSaturated
  case blendColor, oneMinusBlendColor, blendAlpha, oneMinusBlendAlpha

  var glValue: GLenum {
    switch self {
    case .zero: GLenum(GL_ZERO)
    case .one: GLenum(GL_ONE)
    case .sourceColor: GLenum(GL_SRC_COLOR)
    case .oneMinusSourceColor: GLenum(GL_ONE_MINUS_SRC_COLOR)
    case .sourceAlpha: GLenum(GL_SRC_ALPHA)
    case .oneMinusSourceAlpha: GLenum(GL_ONE_MINUS_SRC_ALPHA)
    case .destinationColor: GLenum(GL_DST_COLOR)
    case .oneMinusDestinationColor: GLenum(GL_ONE_MINUS_DST_COLOR)
    case .destinationAlpha: GLenum(GL_DST_ALPHA)
    case .oneMinusDestinationAlpha: GLenum(GL_ONE_MINUS_DST_ALPHA)
    case .sourceAlphaSaturated: GLenum(GL_SRC_ALPHA_SATURATE)
    case .blendColor: GLenum(GL_CONSTANT_COLOR)
    case .oneMinusBlendColor: GLenum(GL_ONE_MINUS_CONSTANT_COLOR)
    case .blendAlpha: GLenum(GL_CONSTANT_ALPHA)
    case .oneMinusBlendAlpha: GLenum(GL_ONE_MINUS_CONSTANT_ALPHA)
    }
  }
}

/// How source and destination are joined; Metal's `MTLBlendOperation`.
public enum BlendOperation: String, Codable, Hashable, Sendable, CaseIterable {
  /// Source + destination.
  case add
  /// Source − destination.
  case subtract
  /// Destination − source.
  case reverseSubtract
  /// The lesser, without factors.
  case min
  /// The greater, without factors.
  case max

  var glValue: GLenum {
    switch self {
    case .add: GLenum(GL_FUNC_ADD)
    case .subtract: GLenum(GL_FUNC_SUBTRACT)
    case .reverseSubtract: GLenum(GL_FUNC_REVERSE_SUBTRACT)
    case .min: GLenum(GL_MIN)
    case .max: GLenum(GL_MAX)
    }
  }
}

/// The channels that a draw may change; Metal's `MTLColorWriteMask`, with its values.
public struct ColorWriteMask: OptionSet, Codable, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8

  /// Takes bits as they are.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Red changes.
  public static let red = ColorWriteMask(rawValue: 8)
  /// Green changes.
  public static let green = ColorWriteMask(rawValue: 4)
  /// Blue changes.
  public static let blue = ColorWriteMask(rawValue: 2)
  /// Alpha changes.
  public static let alpha = ColorWriteMask(rawValue: 1)
  /// All change.
  public static let all: ColorWriteMask = [.red, .green, .blue, .alpha]
}

/// What a pipeline writes to one colour attachment, and how; Metal's `MTLRenderPipelineColorAttachmentDescriptor`.
public struct ColorAttachmentState: Codable, Hashable, Sendable {
  /// The format of the texture that will be attached.
  public var pixelFormat: PixelFormat
  /// Whether colours are blended with those already there, and not written over them (`GL_BLEND`).
  public var isBlendingEnabled = false
  /// What the red, green and blue of the fragment function are multiplied with.
  public var sourceRGBBlendFactor = BlendFactor.one
  /// What the red, green and blue already there are multiplied with.
  public var destinationRGBBlendFactor = BlendFactor.zero
  /// How both are joined.
  public var rgbBlendOperation = BlendOperation.add
  /// What the alpha of the fragment function is multiplied with.
  public var sourceAlphaBlendFactor = BlendFactor.one
  /// What the alpha already there is multiplied with.
  public var destinationAlphaBlendFactor = BlendFactor.zero
  /// How both are joined.
  public var alphaBlendOperation = BlendOperation.add
  /// The channels that change (`glColorMask`).
  public var writeMask = ColorWriteMask.all

  /// Describes an attachment that is written over.
  public init(pixelFormat: PixelFormat) { self.pixelFormat = pixelFormat }

  /// The same with another format: what attachments must share where a device blends them all alike.
  package var withoutFormat: ColorAttachmentState {
    var same = self
    same.pixelFormat = .rgba8Unorm
    return same
  }
}
