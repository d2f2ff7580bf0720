public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// A renderer that draws any number of pictures into parts of a texture in one command buffer; the counterpart of Core
/// Image's `CIContext.render(_:to:commandBuffer:bounds:colorSpace:)`, exact to the last bit on every device.
///
/// Each ``render(_:to:commandBuffer:bounds:orientation:filter:blend:pipeline:label:)`` turns the whole source upright,
/// scales it to its bounds and copies or blends it there. Core Image cuts its bounds out of an image that transforms
/// turned and scaled; here these steps are arguments. All arithmetic is in integers, on samples as they are stored,
/// without color management.
///
/// One instance may be used from any thread, for any number of devices and command buffers.
public final class ImageRenderer: Sendable {
  /// A rule by which the pixels of a scaled picture are made.
  ///
  /// A side of `n` pixels becomes `m`: pixel `i` of `m` has its center at `(2i + 1) · n / 2m`, pixel `k` of `n` at `k +
  /// 1/2`, and pixels beyond the outer centers repeat the edge. For equal sizes all filters give the source, byte for
  /// byte. Each channel is filtered by itself, so the color of transparent pixels counts.
  public enum Filter: String, Sendable, CaseIterable {
    /// The pixel that the center falls into, `floor((2i + 1) · n / 2m)`.
    case nearest
    /// The weighted mean of the two pixels along each axis whose centers lie around it; weights are rounded to 1/256,
    /// like a texture unit's, or to 1/65536 for 16 bits, halves to even; the sum of four products is rounded once,
    /// halves upward. OpenCV's `INTER_LINEAR_EXACT` gives the same.
    ///
    /// Good down to half the size; below that it skips pixels of the source, and ``area`` is better.
    case linear
    /// The mean of the area that the pixel covers, by exact overlaps. The mean of each row, and then that of the rows,
    /// is rounded to 16 bits, halves upward, and 8-bit samples once more at the end.
    ///
    /// For reducing; reads the whole source. When enlarging, it mixes only pixels on an edge between two.
    case area
  }

  /// A rule by which a picture replaces the pixels of the destination.
  public enum Blend: String, Sendable, CaseIterable {
    /// All four channels of the source replace them.
    case copy
    /// The source lies over them, both with straight alpha (W3C Compositing and Blending Level 1, §5.1; Porter and Duff
    /// 1984).
    ///
    /// With alphas `S` and `B`, maximum `M`, and the share of the backdrop as a whole sample:
    ///
    ///     k = floor((B · (M − S) + M / 2) / M),   A = S + k
    ///     C = floor((S · Cs + k · Cb + floor(A / 2)) / A)
    ///
    /// where M / 2 is truncated. An opaque source replaces the pixel; a transparent one, and `A` = 0, leave every bit
    /// of it.
    case sourceOver
  }

  /// The last copy of what source-over blended with. All command buffers can share it: it is made and used by commands
  /// between which no command buffer waits, and a device turns to another command buffer only where one waits.
  private let backdrop = Mutex<Texture?>(nil)

  /// Makes a renderer.
  public init() {}

  /// Records the drawing of all of `source`, turned upright from `orientation` and scaled to `bounds` of `destination`.
  ///
  /// - Parameters:
  ///   - source: A texture of `rgba8Unorm`, `bgra8Unorm`, `r8Unorm`, `rgba16Uint` or `r16Uint`; gray becomes opaque
  ///     red, green and blue.
  ///   - destination: A texture with the same bits per sample; a gray one takes only gray. Never the source or a view
  ///     of it.
  ///   - bounds: A rectangle in pixels from the top-left corner of the destination, which clips it; bounds wholly
  ///     outside, or empty, record nothing.
  ///   - pipeline: The pipeline that runs. By default compute, since a dispatch visits only the bounds, and a render
  ///     pass for gray destinations, which need one. Both give the same bytes.
  ///   - label: The encoder's label, for messages and debuggers.
  /// - Throws: ``SafelightError`` of kind `unsupported`, which names both formats, if they do not go together, and of
  ///   kind `limit` for bounds that begin 2³⁰ pixels outside, and for a scale beyond 32-bit arithmetic: sides with
  ///   `n / gcd(n, m)` above 65 536, `m` above 4 194 304, or `m · n / gcd(n, m)` of 2³¹ and more.
  public func render(
    _ source: Texture, to destination: Texture, commandBuffer: CommandBuffer, bounds: Region,
    orientation: Orientation = .up, filter: Filter = .linear, blend: Blend = .copy, pipeline: PipelineKind = .automatic,
    label: String = "render"
  ) throws(SafelightError) {
    try Self.check(source, destination, label)
    let call = RenderCall(
      orientation: orientation, filter: filter, blend: blend, bounds: bounds, destination: destination.size,
      pixelFormat: destination.pixelFormat)
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    guard let plan = try call.plan(for: picture, label) else { return }
    var resources: PassRecorder.Resources = [
      .picture: .picture(TiledTexture(source)), .result(0): .picture(TiledTexture(destination)),
    ]
    if let region = plan.targets.first?.area, plan.reads(.further(0)) {
      // OpenGL ES leaves reading and storing one texture undefined.
      let backdrop = backdrop(TextureDescriptor(region.size, destination.pixelFormat))
      commandBuffer.blit("\(label), backdrop") { $0.copy(from: destination, region: region, to: backdrop) }
      resources[.further(0)] = .picture(TiledTexture(backdrop, holding: region, of: destination.size))
    }
    PassRecorder(plan: plan, pipeline: pipeline, call: call.text, buffer: commandBuffer).encode([.result(0)], resources)
  }
}

extension ImageRenderer {
  private func backdrop(_ descriptor: TextureDescriptor) -> Texture {
    backdrop.withLock { backdrop in
      if let backdrop, backdrop.descriptor == descriptor { return backdrop }
      let made = Texture(size: descriptor.size, pixelFormat: descriptor.pixelFormat, label: "backdrop")
      backdrop = made
      return made
    }
  }

  package static let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .bgra8Unorm, .r16Uint, .rgba16Uint]

  /// Returns whether pictures of one format can be rendered to textures of the other.
  static func takes(_ from: PixelFormat, for to: PixelFormat) -> Bool {
    formats.contains(from) && formats.contains(to) && from.bytesPerSample == to.bytesPerSample
      && (to.samplesPerPixel == 4 || from.samplesPerPixel == 1)
  }

  /// Traps if a texture is none of one image, or if both are the same.
  static func checkTextures(_ source: Texture, _ destination: Texture, _ label: String) {
    for texture in [source, destination] {
      trap(
        unless: texture.descriptor.textureType == .type2D && !texture.isSwizzled,
        "\(label) takes plain 2-D textures; '\(texture.label)' is \(texture.descriptor.textureType.rawValue) or "
          + "swizzled: make a view of one image of it")
    }
    trap(
      unless: source.owner !== destination.owner,
      "\(label) reads and paints '\(destination.label)'; render into another texture")
  }

  private static func check(_ source: Texture, _ destination: Texture, _ label: String) throws(SafelightError) {
    checkTextures(source, destination, label)
    let (from, to) = (source.pixelFormat, destination.pixelFormat)
    guard takes(from, for: to) else {
      throw SafelightError(
        .unsupported, label,
        why: "'\(source.label)' of \(from.rawValue) cannot be rendered to '\(destination.label)' of \(to.rawValue)",
        remedy:
          "use textures of the same bits a sample, in \(formats.map(\.rawValue).joined(separator: ", ")), and render "
          + "to gray only from gray")
    }
  }
}

extension Texture {
  /// The texture whose pixels this one shows: a view's parent, or itself.
  fileprivate var owner: Texture { parent?.owner ?? self }
}
