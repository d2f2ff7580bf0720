internal import CKernelRows
public import SafelightImage
internal import SafelightShaders

/// A kernel that measures the mean of each channel; Metal Performance Shaders' `MPSImageStatisticsMean`. The formula is
/// on its ``card``.
public struct ImageMean: ReductionKernel {
  /// The pixels whose colors are averaged.
  public var counts = CountedPixels.visible

  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "mean", "notes the mean of each channel in the report, and leaves the picture as it is",
    discussion: """
          mean = (sum of all samples) / (pixels * maximum),  from 0 to 1

      Colors of pixels of alpha 0 do not count where alpha is straight, unless counts=all; if all are such pixels, there
      is no mean but alpha's, which always counts. The sum is exact, in integers; only the division is not. The report
      of a run has it for each frame (--report): "measured": {"mean": {"red": 0.41, "green": 0.37, "blue": 0.3}}, gray
      for gray pictures, and alpha where there is one. In a chain it is the mean of what the filters before it made.
      """,
    [.choice("counts", "the pixels whose colors count", \.counts)],
    examples: ["mean", "mean=counts=all"])

  /// One pass: a sum for each channel, and the number of pixels whose colors count.
  public func passes(for picture: PassPicture) -> [Pass] {
    let channels = picture.pixelFormat.samplesPerPixel
    let function = ChannelSums(channels: channels, countsVisible: counts.leavesOutPixels(of: picture))
    return [
      Pass(
        function, inputs: [.source(.pixel)],
        output: .numbers(0, [.init(.wideSum, count: channels + 1)]))
    ]
  }

  /// The means; none of colors that no pixel shows.
  public func values(of numbers: [UInt32], for image: ImageDescriptor) -> [(name: String, value: Double)] {
    let names = image.channels.isGray ? ["gray", "", "", "alpha"] : ["red", "green", "blue", "alpha"]
    func sum(_ number: Int) -> Double { Double(UInt64(numbers[2 * number]) | UInt64(numbers[2 * number + 1]) << 32) }
    let counted = sum(numbers.count / 2 - 1)
    return image.channels.sampleIndices.compactMap { channel in
      let count = channel == 3 ? Double(image.size.area) : counted
      return count == 0 ? nil : (names[channel], sum(channel) / (count * Double(image.pixelFormat.maximum)))
    }
  }
}

/// `mean.glsl`: sums of channels.
private struct ChannelSums: BuiltInPassFunction {
  let channels: Int
  let countsVisible: Bool

  var name: String { "mean" }
  var kind: Pass.Kind { .numbers() }
  var constants: [ShaderAssembly.Constant] {
    [.init("CHANNELS", channels), .init("COUNTS_VISIBLE", countsVisible)]
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch memory.inputs[0].pixelFormat.depth {
    case .bits8: unsafe add(memory, operations.add_channels_8)
    case .bits16: unsafe add(memory, operations.add_channels_16)
    }
  }

  private func add<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ addChannels: (UnsafeMutablePointer<UInt32>, UnsafePointer<Sample>, Int32, Int) -> UInt32
  ) {
    let region = memory.region
    for y in region.y..<region.y + region.size.height {
      // Sums of 65536 pixels fit into 32 bits.
      for x in stride(from: region.x, to: region.x + region.size.width, by: 65536) {
        let count = min(65536, region.x + region.size.width - x)
        let samples = unsafe memory.inputs[0].row(Sample.self, x: x, y: y, count: count)
        guard let first = samples.baseAddress else { continue }
        var sums: InlineArray<4, UInt32> = [0, 0, 0, 0]
        var counted = UInt32(count)
        if channels == 4 {
          var span = sums.mutableSpan
          counted = unsafe span.withUnsafeMutableBufferPointer { sums in
            guard let sum = sums.baseAddress else { return 0 }
            return unsafe addChannels(sum, first, countsVisible ? 0 : 1, count)
          }
        } else {
          for place in 0..<count { unsafe sums[0] &+= UInt32(samples[place]) }
        }
        for channel in 0..<channels { unsafe memory.words.addWide(UInt64(sums[channel]), at: 2 * channel) }
        unsafe memory.words.addWide(UInt64(counted), at: 2 * channels)
      }
    }
  }
}
