public import SafelightGPU
public import SafelightImage

/// How fast filters are on a device and on the Swift twins, each beside a plain copy there.
///
/// A picture lies in textures already; measured is what a filter does from there to other textures. A round takes the filter and the
/// copy, on the device and on the twins, in turn, so that a machine whose speed drifts gives honest ratios. What is over in less than
/// 2 ms is done several times in one command buffer. Figures are medians.
public struct FilterBenchmark: Sendable {
  /// One filter on pictures of one depth.
  public struct Row: Sendable, Encodable {
    /// The filter as it was called.
    public let filter: String
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
    /// Millions of pixels a second.
    public let megapixelsPerSecond: Double
    /// The part of the bandwidth of a copy, which is the filter `passthrough`: 1 is as fast as that.
    public let partOfCopy: Double
  }

  private let devices: [Device]
  private let size: Size

  /// Compares `device` with the CPU executor, on pictures of `size`.
  public init(device: Device, size: Size) throws {
    devices = [device, try Device.open(.cpu)]
    self.size = size
  }

  /// What is measured for `selection`: all examples of the filter of that name, or the call itself, such as `saturation=2`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do, and for a filter
  ///   that is measured only when called with a file of one's own.
  public static func filters(_ selection: String) throws -> [String] {
    if let entry = FilterCatalogue.entries.first(where: { $0.description.name == selection }) {
      guard !entry.examples.isEmpty else {
        throw SafelightError(
          .usage, "bench \(selection)", why: "it needs a file, and there is none to measure it with",
          remedy: "name one: \(selection)=FILE")
      }
      return entry.examples
    }
    _ = try FilterSyntax.parse(selection, catalogue: FilterCatalogue.descriptions)
    return [selection]
  }

  /// The filters that are measured by their name.
  public static var named: [String] {
    FilterCatalogue.entries.filter { !$0.examples.isEmpty }.map(\.description.name)
  }

  /// The filters that are measured only when called with a file of one's own.
  public static var unnamed: [String] {
    FilterCatalogue.entries.filter(\.examples.isEmpty).map(\.description.name)
  }

  /// Measures a chain on both devices in so many rounds; nil for a depth that it refuses.
  public func row(_ filter: String, depth: SampleDepth, rounds: Int) throws -> Row? {
    let image = SyntheticImage.ramp.image(size, channels: .rgb, depth: depth)
    let chains = try devices.map { try FilterChain(parsing: filter, device: $0) }
    for chain in chains {
      for filter in chain.filters where (try? filter.check(image)) == nil { return nil }
    }
    var runs: [BenchmarkRun] = []
    for (device, chain) in zip(devices, chains) {
      let copy = try FilterChain(parsing: "passthrough", device: device)
      for chain in [chain, copy] { runs.append(try BenchmarkRun(device: device, chain: chain, image: image)) }
    }
    var times = [[Double]](repeating: [], count: runs.count)
    for _ in 0..<rounds {
      for (number, run) in runs.enumerated() { times[number].append(try run.seconds()) }
    }
    let medians = times.map { $0.sorted()[rounds / 2] }
    func speed(_ seconds: Double, copy: Double) -> Speed {
      Speed(
        milliseconds: seconds * 1e3, megapixelsPerSecond: Double(size.area) / seconds / 1e6, partOfCopy: copy / seconds)
    }
    return Row(
      filter: filter, depth: depth.rawValue, device: speed(medians[0], copy: medians[1]),
      twin: speed(medians[2], copy: medians[3]))
  }
}
