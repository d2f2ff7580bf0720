public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// A kernel that says which passes it makes of a picture; the engine records them.
public protocol PassKernel: ImageKernel {
  /// Returns the passes that make the result of `picture`, which ``ImageKernel/check(_:)-(ImageDescriptor)`` has
  /// admitted; none for a picture that stays as it is.
  func passes(for picture: PassPicture) throws(SafelightError) -> [Pass]
}

extension PassKernel {
  /// The passes, for pictures of any size.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    PassStage(kernel: self, edge: device.capabilities.maximumTextureSize, form: form)
  }

  /// Returns the checked passes for `picture` on a device whose textures have at most `edge` columns and rows.
  package func plan(for picture: PassPicture, edge: Int) throws(SafelightError) -> PassPlan {
    let made = try output(of: picture.image)
    // A texture of another format, such as r16Unorm, gives a result in the same.
    let format = made.pixelFormat == picture.image.pixelFormat ? picture.pixelFormat : made.pixelFormat
    return try PassPlan(
      passes(for: picture), of: Self.card.name, from: picture, to: [PassPicture(made, format)], edge: edge)
  }

  /// True if each pixel of a result depends only on the pixel at its place, in pictures of every kind.
  package var isPointwise: Bool {
    let plans = [Channels.gray, .rgb, .rgba].flatMap { channels in
      // Pictures that the kernel refuses play no part.
      SampleDepth.allCases.compactMap { depth in
        try? plan(for: PassPicture(ImageDescriptor(size: Size(2, 2), channels: channels, depth: depth)), edge: .max)
      }
    }
    return !plans.isEmpty
      && plans.flatMap(\.nodes).map(\.pass).allSatisfy { pass in
        pass.function.kind == .pixels && pass.inputs.allSatisfy { $0.resource != .second && $0.footprint == .pixel }
      }
  }

  /// Records the kernel for textures; `second` is the second picture, if the kernel reads one.
  func encodePasses(
    to buffer: CommandBuffer, source: Texture, second: Texture? = nil, destination: Texture, form: KernelForm
  ) {
    Self.card.check(self)
    Self.checkFormat(of: source)
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    do throws(SafelightError) {
      let plan = try plan(for: picture, edge: .max)
      PassRecorder(plan: plan, form: form, call: Self.card.call(self), buffer: buffer)
        .encode(TiledTexture(source), second.map { TiledTexture($0) }, to: [TiledTexture(destination)])
    } catch {
      trap("\(Self.card.name) does not take '\(source.label)': \(error.why)")
    }
  }
}

extension PixelFormat {
  /// Returns the descriptor of a picture of the format: gray for one channel, else red, green, blue and alpha.
  package func descriptor(_ size: Size) -> ImageDescriptor {
    ImageDescriptor(size: size, channels: samplesPerPixel == 1 ? .gray : .rgba, depth: depth)
  }
}

/// A kernel of passes on one device, as a stage of a chain.
private final class PassStage<Kernel: PassKernel>: ImageStage {
  private let kernel: Kernel
  private let edge: Int
  private let form: KernelForm
  private let call: String
  let reach: StageReach
  /// The plan for the last kind of picture: that of most frames.
  private let last = Mutex<(picture: PassPicture, plan: PassPlan)?>(nil)

  init(kernel: Kernel, edge: Int, form: KernelForm) {
    self.kernel = kernel
    self.edge = edge
    self.form = form
    call = Kernel.card.call(kernel)
    reach = kernel.isPointwise ? .pixel : .picture
  }

  var makesUpright: Bool { Kernel.card.makesUpright }
  var readsSecondPicture: Bool { Kernel.card.secondPicture != nil }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try plan(for: PassPicture(image)).result.image
  }

  func exchangesAxes(of image: ImageDescriptor) throws(SafelightError) -> Bool {
    try plan(for: PassPicture(image)).exchangesAxes
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    let picture = PassPicture(source.image ?? source.pixelFormat.descriptor(source.size), source.pixelFormat)
    do throws(SafelightError) {
      let second: TiledTexture? = if case .picture(let second) = input { second } else { nil }
      PassRecorder(plan: try plan(for: picture), form: form, call: call, buffer: buffer)
        .encode(source, second, to: [destination])
    } catch {
      trap("\(Kernel.card.name) was given \(picture.image), which output(of:) refuses: \(error.why)")
    }
  }

  private func plan(for picture: PassPicture) throws(SafelightError) -> PassPlan {
    if let known = last.withLock({ $0?.picture == picture ? $0?.plan : nil }) { return known }
    let plan = try kernel.plan(for: picture, edge: edge)
    last.withLock { $0 = (picture, plan) }
    return plan
  }
}
