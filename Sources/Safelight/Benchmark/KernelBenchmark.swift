public import SafelightGPU
public import SafelightImage

/// How fast kernels are on a device and on the Swift twins, each beside a plain copy there.
///
/// A picture lies in textures already; measured is what a kernel does from there to other textures or to counts. A round takes the
/// kernel and the copy, on the device and on the twins, in turn, so that a machine whose speed drifts gives honest ratios. What is over
/// in less than 2 ms is done several times in one command buffer, to two destinations by turns. Figures are medians.
public struct KernelBenchmark: Sendable {
  /// One kernel on pictures of one depth.
  public struct Row: Sendable, Encodable {
    /// The kernel as it was called.
    public let kernel: String
    /// Bits a sample.
    public let depth: Int
    /// On the device.
    public let device: Speed
    /// On the Swift twins.
    public let twin: Speed
  }

  /// The speed on one device.
  public struct Speed: Sendable, Encodable {
    /// Milliseconds for the picture.
    public let milliseconds: Double
    /// Millions of the picture's pixels a second.
    public let megapixelsPerSecond: Double
    /// The part of the bandwidth of a copy, which is the filter `passthrough`: 1 is as fast as that.
    public let partOfCopy: Double
  }

  private let devices: [Device]
  /// The frame in both depths.
  private let images: (bits8: Image, bits16: Image)

  /// Compares `device` with the CPU executor, on pictures of `size`.
  public init(device: Device, size: Size) throws {
    devices = [device, try Device.open(.cpu)]
    images = (
      SyntheticImage.ramp.image(size, channels: .rgb, depth: .bits8),
      SyntheticImage.ramp.image(size, channels: .rgb, depth: .bits16)
    )
  }

  private func image(_ depth: SampleDepth) -> Image { depth == .bits8 ? images.bits8 : images.bits16 }

  /// Why pictures of `depth` cannot be taken through `kernel`; nil where they can.
  public func refusal(_ kernel: BenchmarkKernel, depth: SampleDepth) throws -> String? {
    for device in devices {
      if let why = try kernel.refusal(image(depth), device) { return why }
    }
    return nil
  }

  /// Measures a kernel that does not refuse pictures of `depth`, on both devices in so many rounds.
  public func row(_ kernel: BenchmarkKernel, depth: SampleDepth, rounds: Int) throws -> Row {
    let image = image(depth)
    let copy = BenchmarkKernel(chain: "passthrough")
    let runs = try devices.flatMap { device in
      try [kernel, copy].map { try BenchmarkRun(device: device, kernel: $0, image: image) }
    }
    var times = [[Double]](repeating: [], count: runs.count)
    for _ in 0..<rounds {
      for (number, run) in runs.enumerated() { times[number].append(try run.seconds()) }
    }
    let medians = times.map { $0.sorted()[rounds / 2] }
    func speed(_ seconds: Double, copy: Double) -> Speed {
      Speed(
        milliseconds: seconds * 1e3, megapixelsPerSecond: Double(image.size.area) / seconds / 1e6,
        partOfCopy: copy / seconds)
    }
    return Row(
      kernel: kernel.settings, depth: depth.rawValue, device: speed(medians[0], copy: medians[1]),
      twin: speed(medians[2], copy: medians[3]))
  }
}
