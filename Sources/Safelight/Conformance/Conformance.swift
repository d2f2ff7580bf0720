public import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// Proves that kernels make the same bytes on a device as their twins do on the CPU.
///
/// Every kernel runs twice on every input, into memory filled with poison, different each time, between guards. It
/// conforms if no sample differs from the twin's, both runs make the same bytes, the source and the guards are
/// unchanged, and the driver reports no error.
public struct Conformance: Sendable {
  /// The device under test.
  public let device: Device

  private let twin: Device
  private let queue: CommandQueue
  /// The bytes of pictures, each made once for all kernels.
  private let pictures = Memo<[UInt8]>()

  /// Records the second argument into the first, with a mistake that a test plants.
  package typealias Planting = (CommandBuffer, Recording) throws -> Void

  /// Makes a comparison of `device` with the Swift twins.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if the device is the CPU, which would compare the twins with
  ///   themselves.
  public init(device: Device) throws {
    try ensure(
      !device.info.isCPU, .usage, "conformance of the CPU", why: "the Swift twins would be compared with themselves",
      remedy: "choose a device with OpenGL ES")
    self.device = device
    twin = try Device.open(.cpu)
    queue = device.makeCommandQueue(label: "conformance")
  }

  /// The sizes at which kernels tend to fail: one pixel, one column, one row, near the edges of threadgroups of 8 and
  /// 64, and wider than a texture of the device.
  public var sizes: [Size] {
    [
      Size(1, 1), Size(1, 9), Size(9, 1), Size(7, 7), Size(9, 8), Size(17, 31), Size(63, 65), Size(65, 63),
      beyondTexture,
    ]
  }

  /// How much is compared.
  public enum Extent: Sendable {
    /// One odd size in three formats.
    case quick
    /// All sizes and formats for the first example of each kernel. The others run functions of the same shader through
    /// the same family, which the first has shown at all sizes; for them one odd size in three formats, which shows
    /// every mistake that the tests plant.
    case normal
    /// All sizes and formats for every example.
    case thorough
  }

  /// The sizes and formats at which a kernel is compared.
  public struct Selection: Sendable {
    /// The kernel.
    public let kernel: ConformanceKernel
    /// The sizes.
    public let sizes: [Size]
    /// The formats, of those that the kernel takes.
    public let formats: Set<PixelFormat>
  }

  /// Returns what is compared of `kernels`.
  public func selections(of kernels: [ConformanceKernel], _ extent: Extent) -> [Selection] {
    // A call runs in several pipelines.
    var first: [String: String] = [:]
    for kernel in kernels where first[kernel.name] == nil { first[kernel.name] = kernel.call }
    return kernels.map { kernel in
      let quickSize = Self.quickSize(of: kernel)
      return switch extent {
      case .quick: Selection(kernel: kernel, sizes: [quickSize], formats: Self.quickFormats)
      case .normal where first[kernel.name] != kernel.call:
        Selection(kernel: kernel, sizes: [quickSize], formats: Self.quickFormats)
      case .normal, .thorough:
        Selection(kernel: kernel, sizes: sizes, formats: Set(PixelFormat.allCases))
      }
    }
  }

  /// Returns the size of a quick run: 17×31, at which the tests find every planted mistake, or 65×63 if the call needs
  /// more.
  public static func quickSize(of kernel: ConformanceKernel) -> Size {
    kernel.isDefined(Size(17, 31)) ? Size(17, 31) : Size(65, 63)
  }

  /// The formats of a quick run.
  public static let quickFormats: Set<PixelFormat> = [.r8Unorm, .rgba8Unorm, .rgba16Uint]

  private var beyondTexture: Size { Size(device.capabilities.maximumTextureSize + 3, 2) }

  /// Returns why the device cannot hold pictures of `format` and read them back; nil if it can.
  public func refusal(of format: PixelFormat) -> SafelightError? {
    do throws(SafelightError) {
      let texture = try device.makeTexture(Size(1, 1), format)
      let buffer = queue.makeCommandBuffer(label: format.rawValue)
      _ = buffer.blit("readback") { $0.read(texture) }
      buffer.commit()
      try buffer.waitUntilCompleted()
      return nil
    } catch {
      return error
    }
  }

  /// Runs one kernel on the pictures of one format and size, one row each.
  public func rows(_ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size) -> [ConformanceRow] {
    rows(kernel, format, size, planting: nil)
  }

  package func rows(
    _ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, planting: Planting?
  ) -> [ConformanceRow] {
    guard kernel.isTiled || size != beyondTexture, kernel.isDefined(size) else { return [] }
    // Large pictures test tiles, not samples.
    let inputs = size == beyondTexture ? [.synthetic(.noise), .frame] : ConformanceInput.all
    do {
      return try compared(kernel, format, size, inputs, planting: planting)
    } catch {
      let refusal = refusal(of: kernel, format, size, inputs, for: error)
      let fault = refusal == nil ? error : nil
      return inputs.map { ConformanceRow(kernel, format, size, $0, error: fault, refusal: refusal) }
    }
  }

  /// Returns the reason of `error` if the twins refuse such pictures for the same; what a device alone refuses, for
  /// lack of memory or because of its limits, is a fault.
  private func refusal(
    of kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, _ inputs: [ConformanceInput],
    for error: any Error
  ) -> String? {
    guard let refused = error as? SafelightError, [.unsupported, .limit].contains(refused.kind) else { return nil }
    do {
      _ = try record(kernel, format, size, inputs, poison: 0, in: twin.makeCommandQueue())
      return nil
    } catch {
      return (error as? SafelightError)?.why == refused.why ? refused.why : nil
    }
  }

  /// A run over all inputs.
  private typealias Run = (recording: Recording, results: [ConformanceScene.Readbacks])

  private func compared(
    _ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, _ inputs: [ConformanceInput], planting: Planting?
  ) throws -> [ConformanceRow] {
    let runs = try [0xA5, 0x5A].map { poison in
      try run(kernel, format, size, inputs, poison: poison, planting: planting)
    }
    let expected = try twin.replay(runs[0].recording)
    return try inputs.indices.map { input in
      var row = ConformanceRow(kernel, format, size, inputs[input])
      for (first, second) in zip(runs[0].results[input].outputs, runs[1].results[input].outputs) {
        let made = try first.readback.contents()
        row.compare(made, with: expected.contents(of: first.readback) ?? [], first.layout)
        row.repeats = try row.repeats && made == second.readback.contents()
      }
      for run in runs {
        row.guards = try row.guards && run.results[input].guards.allSatisfy { try $0.readback.contents() == $0.bytes }
      }
      return row
    }
  }

  private func run(
    _ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, _ inputs: [ConformanceInput], poison: UInt8,
    planting: Planting?
  ) throws -> Run {
    let (sound, results) = try record(kernel, format, size, inputs, poison: poison, in: queue)
    let buffer = planting == nil ? sound : queue.makeCommandBuffer(label: sound.label)
    try planting?(buffer, sound.recording)
    buffer.commit()
    try buffer.waitUntilCompleted()
    return (sound.recording, results)
  }

  /// Records one kernel on all inputs; state that it keeps from one picture affects the next.
  private func record(
    _ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, _ inputs: [ConformanceInput], poison: UInt8,
    in queue: CommandQueue
  ) throws -> (buffer: CommandBuffer, results: [ConformanceScene.Readbacks]) {
    let buffer = queue.makeCommandBuffer(label: "\(kernel.settings) \(size) \(format.rawValue)")
    let record = try kernel.make(queue.device)
    let results = try inputs.map { input in
      let bytes = pictures.value("\(input) \(size) \(format.rawValue)") { input.bytes(size, format) }
      let scene = try ConformanceScene(in: buffer, bytes, "\(input)", size, format, poison: poison)
      try record(scene)
      return scene.encodeReadbacks()
    }
    return (buffer, results)
  }
}
