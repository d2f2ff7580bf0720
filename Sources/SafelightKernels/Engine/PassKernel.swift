public import SafelightGPU
public import SafelightImage

/// A kernel that says which passes it makes of a picture; the engine records them.
public protocol PassKernel: ImageKernel {
  /// Returns the passes that make the result of `picture`, which ``ImageKernel/check(_:)-(ImageDescriptor)`` has
  /// admitted; none for a picture that stays as it is.
  func passes(for picture: PassPicture) throws(SafelightError) -> [Pass]

  /// The number of earlier pictures of a sequence on which a result depends; 0 for most.
  var history: Int { get }

  /// Returns the kernel with what the files hold that its parameters name. Called once, before a picture is checked.
  ///
  /// - Throws: ``SafelightError`` if a file is missing or damaged.
  func prepared() throws -> Self
}

extension PassKernel {
  /// Integers of 8 and of 16 bits by default, without two channels.
  public static var formats: [PixelFormat] { PixelFormat.pictureFormats }
  /// 0 by default.
  public var history: Int { 0 }
  /// The kernel itself by default.
  public func prepared() throws -> Self { self }

  /// The passes, for pictures of any size.
  public func makeStage(on device: Device, pipeline: PipelineKind) throws -> any ImageStage {
    try prepared().makePassStage(on: device, pipeline: pipeline)
  }

  /// Makes the stage of a kernel that is prepared.
  package func makePassStage(on device: Device, pipeline: PipelineKind) -> any ImageStage {
    AppliedKernel(self).makeStage(on: device, pipeline: pipeline)
  }

  /// Returns the checked passes for `picture` on a device whose textures have at most `edge` columns and rows.
  package func plan(for picture: PassPicture, edge: Int) throws(SafelightError) -> PassPlan {
    try AppliedKernel(self).plan(for: picture, edge: edge)
  }

  /// Returns the picture that the kernel makes of `picture`.
  func result(of picture: PassPicture) throws(SafelightError) -> PassPicture {
    let made = try output(of: picture.image)
    // A texture of another format, such as r16Unorm, gives a result in the same.
    return PassPicture(made, made.pixelFormat == picture.image.pixelFormat ? picture.pixelFormat : nil)
  }

  /// True if each pixel of a result depends only on the pixel at its place, in pictures of every kind.
  package var isPointwise: Bool { PassPlan.forEveryKind([AppliedKernel(self)]).arePointwise }

  /// Returns whether textures of `format` hold pictures that the kernel takes.
  func takes(_ format: PixelFormat) -> Bool { Self.formats.contains(format) }

  /// Records the kernel. Both textures need other memory, and the destination the size and format of
  /// ``ImageKernel/output(of:)-(ImageDescriptor)``. Tables are worked out each time; a stage keeps them.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: source, destination: destination, pipeline: pipeline)
  }

  /// Records a kernel that reads a second picture, likewise.
  public func encode(
    to buffer: CommandBuffer, source: Texture, second: Texture, destination: Texture,
    pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: source, seconds: [second], destination: destination, pipeline: pipeline)
  }

  /// Records the kernel for textures; `seconds` are the second pictures that it reads, and `position` is the frame's.
  func encodePasses(
    to buffer: CommandBuffer, source: Texture, seconds: [Texture] = [], destination: Texture, position: Int? = nil,
    pipeline: PipelineKind
  ) {
    Self.card.check(self)
    Self.checkFormat(of: source)
    let picture = picture(
      source.pixelFormat.descriptor(source.size), source.pixelFormat, seconds: seconds.map(\.size), at: position)
    do throws(SafelightError) {
      let plan = try reading(seconds.count).plan(for: picture, edge: .max)
      PassRecorder(plan: plan, pipeline: pipeline, call: Self.card.call(self), buffer: buffer)
        .encode(TiledTexture(source), seconds.map { TiledTexture($0) }, to: [TiledTexture(destination)])
    } catch {
      trap("\(Self.card.name) does not take '\(source.label)': \(error.why)")
    }
  }
}

extension PassKernel {
  var name: String { Self.card.name }
  var call: String { Self.card.call(self) }
  var makesUpright: Bool { Self.card.makesUpright }
}

extension PixelFormat {
  /// Returns the descriptor of a picture of the format: gray for one channel, else red, green, blue and alpha.
  package func descriptor(_ size: Size) -> ImageDescriptor {
    ImageDescriptor(size: size, channels: samplesPerPixel == 1 ? .gray : .rgba, depth: depth)
  }
}
