public import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Images on a device, initially zero; Metal's `MTLTexture`.
///
/// A handle: safe to pass between threads, and kept by everything that refers to it, such as a recorded command. The
/// corresponding GL object is an immutable texture (`glTexStorage2D`).
public final class Texture: Sendable {
  /// Its type, size and format.
  public let descriptor: TextureDescriptor
  /// A name for messages and debuggers.
  public let label: String
  /// The texture that this view shows; nil for a texture with pixels of its own.
  public let parent: Texture?
  /// The levels of ``parent`` that a view shows.
  public let parentLevels: Range<Int>
  /// The slices of ``parent`` that a view shows.
  public let parentSlices: Range<Int>

  /// The shared memory that it shows; nil for a texture with memory of its own.
  public let sharedPlane: SharedPlane?
  /// The buffer that it shows; nil for a texture with memory of its own.
  public let linearSource: LinearTextureSource?
  /// True if it is only for render passes, as the drawables of a view are by default; a command buffer with a function
  /// that stores to it fails.
  public let isFramebufferOnly: Bool

  /// The initial pixels of all storage made for it, on every backend and in every new context; nil for zeros.
  let contents: [UInt8]?
  package let lifetime: ResourceLifetime
  let home: DeviceThread?

  /// Keeps the frame's source from reusing the shared memory while the texture exists.
  private let lease: FrameLease?
  private let whyCopied = Mutex<SafelightError?>(nil)

  init(
    _ descriptor: TextureDescriptor, label: String, home: DeviceThread? = nil, sharedPlane: SharedPlane? = nil,
    source: LinearTextureSource? = nil, lifetime: ResourceLifetime = ResourceLifetime(),
    isFramebufferOnly: Bool = false, lease: FrameLease? = nil, contents: [UInt8]? = nil, parent: Texture? = nil,
    parentLevels: Range<Int>? = nil, parentSlices: Range<Int>? = nil
  ) {
    self.descriptor = descriptor
    self.contents = contents
    self.label = label
    self.home = home
    self.sharedPlane = sharedPlane
    linearSource = source
    self.lifetime = lifetime
    self.isFramebufferOnly = isFramebufferOnly
    self.lease = lease
    self.parent = parent
    self.parentLevels = parentLevels ?? 0..<descriptor.mipmapLevelCount
    self.parentSlices = parentSlices ?? 0..<descriptor.sliceCount()
  }

  /// Makes a texture for any device. With `contents`, row by row, red first, it is a read-only table, which new storage
  /// on any device and in any context receives.
  package convenience init(size: Size, pixelFormat: PixelFormat, contents: [UInt8]? = nil, label: String) {
    let count = size.area * pixelFormat.bytesPerPixel
    trap(
      unless: (contents?.count ?? count) == count,
      "table '\(label)' of \(size) \(pixelFormat.rawValue) cannot have \(contents?.count ?? 0) bytes")
    self.init(TextureDescriptor(size, pixelFormat), label: label, contents: contents)
  }

  /// Columns and rows of the first level.
  public var size: Size { descriptor.size }
  /// The layout of a pixel.
  public var pixelFormat: PixelFormat { descriptor.pixelFormat }
  /// True if samplers show channels in the place of others.
  package var isSwizzled: Bool { descriptor.swizzle != [.red, .green, .blue, .alpha] }
  /// The rectangle of all pixels of the first level.
  public var bounds: Region { Region(size: size) }

  /// The reason why its device copies the shared memory behind it; nil if the device works in it, or there is none.
  public internal(set) var copyReason: SafelightError? {
    get { whyCopied.withLock { $0 } }
    set { whyCopied.withLock { $0 = newValue } }
  }

  /// The resource that barriers track: a view's is that of its parent.
  var hazard: ResourceID { parent?.hazard ?? lifetime.id }

  /// Makes a texture that shows levels and slices of this one, by default all, in its own format or another of the same
  /// pixel size (`glTextureViewEXT`); Metal's `makeTextureView`.
  ///
  /// Without ``DeviceFeatures/textureViews`` a view must have all slices and the same format; others fail at their
  /// first use.
  public func makeTextureView(
    pixelFormat: PixelFormat? = nil, textureType: TextureDescriptor.TextureType? = nil, levels: Range<Int>? = nil,
    slices: Range<Int>? = nil, label: String? = nil
  ) -> Texture {
    trap(
      unless: sharedPlane == nil,
      "'\(self.label)' shows shared memory and has no views; copy it to another texture first")
    let levels = levels ?? 0..<descriptor.mipmapLevelCount
    let slices = slices ?? 0..<descriptor.sliceCount()
    trap(
      unless: !levels.isEmpty && levels.lowerBound >= 0 && levels.upperBound <= descriptor.mipmapLevelCount,
      "levels \(levels) are not among the \(descriptor.mipmapLevelCount) levels of '\(self.label)'")
    trap(
      unless: !slices.isEmpty && slices.lowerBound >= 0 && slices.upperBound <= descriptor.sliceCount(),
      "slices \(slices) are not among the \(descriptor.sliceCount()) slices of '\(self.label)'")
    var view = descriptor
    view.pixelFormat = pixelFormat ?? descriptor.pixelFormat
    view.textureType = textureType ?? descriptor.textureType
    view.size = descriptor.size(atLevel: levels.lowerBound)
    view.depth = max(1, descriptor.depth >> levels.lowerBound)
    view.mipmapLevelCount = levels.count
    view.arrayLength = view.textureType.isArray ? slices.count : 1
    trap(
      unless: descriptor.pixelFormat.canBeViewed(as: view.pixelFormat),
      "'\(self.label)' of \(descriptor.pixelFormat.rawValue) cannot be viewed as \(view.pixelFormat.rawValue); "
        + "formats of the same number of bytes in the same order can")
    let (own, other) = (descriptor.textureType, view.textureType)
    trap(
      unless: (own == .type3D) == (other == .type3D) && own.isMultisample == other.isMultisample,
      "'\(self.label)' of \(own.rawValue) cannot be viewed as \(other.rawValue); copy a slice")
    trap(
      unless: view.textureType == .type3D ? slices == 0..<descriptor.sliceCount() : view.sliceCount() == slices.count,
      "a view of \(slices.count) slices of '\(self.label)' cannot be of \(view.textureType.rawValue); pass a "
        + "textureType of that many slices")
    return Texture(
      view, label: label ?? "view of \(self.label)", home: home, isFramebufferOnly: isFramebufferOnly, parent: self,
      parentLevels: levels, parentSlices: slices)
  }
}

extension PixelFormat {
  /// Returns whether a view may reinterpret pixels as `other`: a format of the same size, and not with another order of
  /// channels, as the storage may differ from it.
  func canBeViewed(as other: PixelFormat) -> Bool {
    self == other
      || (bytesPerPixel == other.bytesPerPixel && self != .bgra8Unorm && other != .bgra8Unorm && isColor
        && other.isColor)
  }

  /// Returns whether bytes of `other` fill this format; transfers convert the order of channels.
  func accepts(_ other: PixelFormat) -> Bool { self == other || (Set([self, other]) == [.rgba8Unorm, .bgra8Unorm]) }
}

extension Texture {
  /// Replaces pixels of an image and waits; Metal's `replace(region:mipmapLevel:slice:withBytes:bytesPerRow:)`
  /// (`glTexSubImage2D`).
  ///
  /// Runs after all work committed before. `bytesPerRow` is a multiple of the bytes of a pixel; nil means rows without
  /// padding. In a frame, record ``BlitCommandEncoder/copy(from:region:to:image:x:y:)`` instead, which does not wait.
  public func replace(
    region: Region, mipmapLevel: Int = 0, slice: Int = 0, withBytes bytes: [UInt8], bytesPerRow: Int? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws(SafelightError) {
    let image = TextureImage(level: mipmapLevel, slice: slice)
    let upload = Command.Upload(
      bytes: bytes, bytesPerRow: bytesPerRow ?? region.bytesPerRow(pixelFormat), pixelFormat: pixelFormat,
      texture: self, image: image, region: region)
    _ = try replayAtHome(.upload(upload), call: "replace", Recording.CallSite(fileID, line))
  }

  /// Reads pixels of an image and waits; Metal's `getBytes(_:bytesPerRow:from:mipmapLevel:)` (`glReadPixels`).
  ///
  /// Runs after all work committed before. Rows begin `bytesPerRow` bytes apart; nil means rows without padding.
  public func getBytes(
    from region: Region? = nil, mipmapLevel: Int = 0, slice: Int = 0, bytesPerRow: Int? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws(SafelightError) -> [UInt8] {
    let image = TextureImage(level: mipmapLevel, slice: slice)
    let region = region ?? Region(size: descriptor.size(atLevel: mipmapLevel))
    let read = Command.TextureRead(texture: self, image: image, region: region, bytesPerRow: bytesPerRow)
    let result = try replayAtHome(.readTexture(read), call: "getBytes", Recording.CallSite(fileID, line))
    return result.contents(of: read.readback) ?? []
  }

  private func replayAtHome(
    _ command: Command, call: String, _ callSite: Recording.CallSite
  ) throws(SafelightError) -> ReplayResult {
    if let fault = command.fault { trap(fault) }
    guard let home else { trap("\(call) on '\(label)', which belongs to no device; make it with Device.makeTexture") }
    var linear = LinearTextures()
    let label = "\(call) of '\(label)'"
    var recording = Recording(label: label)
    recording.commands = linear.surround(Recording.Entry(label: label, command: command, callSite: callSite))
    return try home.replay(recording)
  }
}

extension TextureDescriptor {
  func has(_ image: TextureImage) -> Bool {
    (0..<mipmapLevelCount).contains(image.level) && (0..<sliceCount(atLevel: image.level)).contains(image.slice)
  }

  /// Throws if a device with `capabilities` does not support this texture of several samples a pixel. Called when it is
  /// made, and by every pass, which may be replayed on another device.
  func checkSamples(_ capabilities: Capabilities, _ label: String) throws(SafelightError) {
    guard textureType.isMultisample else { return }
    try pixelFormat.checkSamples(sampleCount, "texture '\(label)'", capabilities)
    try ensure(
      pixelFormat.sampleKind != .float || capabilities.features.contains(.floatRenderTargets), .unsupported,
      "texture '\(label)'",
      why: "\(pixelFormat.rawValue) of several samples needs GL_EXT_color_buffer_float, which this device lacks",
      remedy: "use rgba8Unorm, or one sample")
    try ensure(
      textureType != .type2DMultisampleArray || capabilities.features.contains(.multisampleArrays), .unsupported,
      "texture '\(label)'",
      why: "multisample arrays need GL_OES_texture_storage_multisample_2d_array, which this device lacks",
      remedy: "make one texture of type2DMultisample for each image")
  }
}

extension PixelFormat {
  /// Throws if a device with `capabilities` does not support `count` samples a pixel of the format.
  func checkSamples(_ count: Int, _ subject: String, _ capabilities: Capabilities) throws(SafelightError) {
    let isInteger = sampleKind == .integer
    let limits = capabilities.render
    let limit = isInteger ? limits.integerSamples : isColor ? limits.samples : limits.depthSamples
    try ensure(
      count <= limit, .limit, subject,
      why: "\(count) samples a pixel of \(rawValue) exceed this device's limit of \(limit)",
      remedy: isInteger
        ? "use one sample, or a normalized format with up to 4 samples, which work everywhere"
        : "use at most 4 samples, which work everywhere")
  }
}

/// Defines how a shader reads a texture between pixels and beyond edges; Metal's `MTLSamplerState` (`glBindSampler`).
public final class SamplerState: Sendable {
  /// Its filters and edge modes.
  public let descriptor: SamplerDescriptor
  /// A name for messages and debuggers.
  public let label: String

  let lifetime = ResourceLifetime()

  init(_ descriptor: SamplerDescriptor, label: String) {
    self.descriptor = descriptor
    self.label = label
  }
}
