public import SafelightImage

/// What an encoder asks of the device: a plain value that any executor can replay, print or compare.
public enum Command: Sendable {
  /// Opens a named group.
  case pushDebugGroup(String)
  /// Closes the innermost group.
  case popDebugGroup
  /// Runs a compute function.
  case dispatch(Dispatch)
  /// Draws a triangle strip into a texture.
  case draw(Draw)
  /// Copies a part of a picture into a texture.
  case upload(Upload)
  /// Copies a part of a texture into a readback.
  case readTexture(TextureRead)
  /// Writes bytes into a buffer.
  case writeBuffer(Buffer, offset: Int, bytes: [UInt8])
  /// Sets bytes of a buffer to one value.
  case fillBuffer(Buffer, range: Range<Int>, value: UInt8)
  /// Copies bytes of a buffer into a readback.
  case readBuffer(Buffer, range: Range<Int>, into: Readback)

  /// A compute function on a grid.
  public struct Dispatch: Sendable {
    /// The function.
    public var pipeline: ComputePipelineState
    /// What it is bound to.
    public var bindings: Bindings
    /// Threads of the grid; those of the last threadgroups outside it are masked.
    public var threads: Size
    /// Threads in a threadgroup.
    public var threadsPerThreadgroup: Size
  }

  /// A draw into one target.
  public struct Draw: Sendable {
    /// The functions.
    public var pipeline: RenderPipelineState
    /// What the fragment function is bound to.
    public var bindings: Bindings
    /// The target and how it begins.
    public var pass: RenderPassDescriptor
    /// The first corner.
    public var vertexStart: Int
    /// The number of corners.
    public var vertexCount: Int
  }

  /// Pixels on their way to the device.
  public struct Upload: Sendable {
    /// The picture; shared, not copied.
    public var image: Image
    /// The part of it to copy.
    public var source: Region
    /// The texture it goes to.
    public var texture: Texture
    /// Where the part's top-left corner goes.
    public var destination: Region
  }

  /// Pixels on their way back.
  public struct TextureRead: Sendable {
    /// The texture.
    public var texture: Texture
    /// The part of it to copy.
    public var region: Region
    /// Where the bytes go.
    public var readback: Readback
    /// The place of the part in a picture of `readbackSize`.
    public var destination: Region
    /// Columns and rows of the picture that the readback holds.
    public var readbackSize: Size
  }
}

/// The textures, buffers and bytes of a command, by index.
public struct Bindings: Sendable {
  /// Textures by index.
  public var textures: [Int: Texture] = [:]
  /// Buffers by index.
  public var buffers: [Int: Buffer] = [:]
  /// Bytes by index.
  public var bytes: [Int: [UInt8]] = [:]

  /// Makes an empty set.
  public init() {}

  /// Binds a copy of `value`, laid out as the function's `std140` block.
  public mutating func setBytes(_ value: some BitwiseCopyable, index: Int) {
    bytes[index] = unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
  }

  /// Traps where an argument of `function` is not bound.
  func check(_ function: ShaderFunction) {
    for argument in function.arguments {
      switch argument {
      case .sampledTexture(let index), .storageTexture(let index):
        precondition(
          textures[index] != nil,
          "texture \(index) of '\(function.name)' is not bound; call setTexture(_:index: \(index))")
      case .readBuffer(let index), .storageBuffer(let index):
        precondition(
          buffers[index] != nil, "buffer \(index) of '\(function.name)' is not bound; call setBuffer(_:index: \(index))"
        )
      case .bytes(let index):
        precondition(
          bytes[index] != nil, "bytes \(index) of '\(function.name)' are not bound; call setBytes(_:index: \(index))")
      }
    }
  }
}

/// The target of a render pass; Metal's `MTLRenderPassDescriptor` with one colour attachment.
public struct RenderPassDescriptor: Sendable {
  /// How the target begins.
  public enum LoadAction: Hashable, Sendable {
    /// Every pixel will be painted.
    case dontCare
    /// Earlier contents stay.
    case load
    /// Filled with red, green, blue and alpha from 0 to 1.
    case clear(Float, Float, Float, Float)
  }

  /// The target.
  public var texture: Texture
  /// How it begins.
  public var loadAction: LoadAction

  /// Describes a pass into `texture`.
  public init(texture: Texture, loadAction: LoadAction = .dontCare) {
    self.texture = texture
    self.loadAction = loadAction
  }
}
