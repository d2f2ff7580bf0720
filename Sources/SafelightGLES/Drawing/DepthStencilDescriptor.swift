/// How a number is compared with the one already there, new on the left; Metal's `MTLCompareFunction`.
public enum CompareFunction: String, Codable, Hashable, Sendable, CaseIterable {
  case never, less, equal, lessEqual, greater, notEqual, greaterEqual, always
}

/// What becomes of a stencil's number, of 8 bits; Metal's `MTLStencilOperation`.
public enum StencilOperation: String, Codable, Hashable, Sendable, CaseIterable {
  case keep
  case zero
  /// It becomes the reference.
  case replace
  /// One more, at most 255.
  case incrementClamp
  /// One less, at least 0.
  case decrementClamp
  case invert
  /// One more, 0 after 255.
  case incrementWrap
  /// One less, 255 after 0.
  case decrementWrap
}

/// The stencil test of one side of triangles; Metal's `MTLStencilDescriptor`.
public struct StencilDescriptor: Codable, Hashable, Sendable {
  /// How the reference is compared with what is there; both under ``readMask`` (`glStencilFuncSeparate`).
  public var stencilCompareFunction = CompareFunction.always
  /// What happens where the stencil test fails (`glStencilOpSeparate`).
  public var stencilFailureOperation = StencilOperation.keep
  /// What happens where the stencil test passes and the depth test fails.
  public var depthFailureOperation = StencilOperation.keep
  /// What happens where both pass.
  public var depthStencilPassOperation = StencilOperation.keep
  /// The bits that are compared; the lowest eight count.
  public var readMask: UInt32 = .max
  /// The bits that may change (`glStencilMaskSeparate`); the lowest eight count.
  public var writeMask: UInt32 = .max

  /// Describes a test that passes everywhere and changes nothing.
  public init() {}
}

/// Which samples a draw changes by their depths and stencils, and how it changes those; Metal's `MTLDepthStencilDescriptor`.
public struct DepthStencilDescriptor: Codable, Hashable, Sendable {
  /// A name for messages.
  public var label = ""
  /// How a new depth is compared with what is there (`glDepthFunc`).
  public var depthCompareFunction = CompareFunction.always
  /// Whether depths that pass are kept (`glDepthMask`).
  public var isDepthWriteEnabled = false
  /// The stencil test of fronts.
  public var frontFaceStencil = StencilDescriptor()
  /// The stencil test of backs.
  public var backFaceStencil = StencilDescriptor()

  /// Describes tests that pass everywhere and change nothing.
  public init() {}
}

/// What stencil tests compare with, of each side of triangles.
public struct StencilReferences: Codable, Hashable, Sendable {
  /// That of fronts; the lowest eight bits count.
  public var front: UInt32
  /// That of backs; the lowest eight bits count.
  public var back: UInt32

  package init(front: UInt32 = 0, back: UInt32 = 0) {
    self.front = front
    self.back = back
  }
}

/// What is added to the depths of triangles.
public struct DepthBias: Codable, Hashable, Sendable {
  /// In the least differences that the format holds.
  public var bias: Float
  /// In differences of depth from pixel to pixel.
  public var slopeScale: Float
  /// The most that is added where positive, the least where negative; 0 for no bound.
  public var clamp: Float

  package init(bias: Float = 0, slopeScale: Float = 0, clamp: Float = 0) {
    self.bias = bias
    self.slopeScale = slopeScale
    self.clamp = clamp
  }
}

/// What becomes of triangles before the near plane or behind the far one; Metal's `MTLDepthClipMode`.
public enum DepthClipMode: String, Codable, Hashable, Sendable {
  /// They are cut off.
  case clip
  /// They stay, with the depth of the plane.
  case clamp
}
