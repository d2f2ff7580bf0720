public import SafelightGPU
public import SafelightImage

/// Measures the speed of kernels on a device and on the Swift twins, each beside a plain copy there.
///
/// The picture is already in textures; the kernel's work from there to other textures or to counts is measured. A round
/// measures the kernel and the copy, on the device and on the twins, in turn, so that ratios stay right on a machine
/// whose speed drifts. Work of less than 2 ms is repeated in one command buffer, to two destinations by turns. Figures
/// are medians.
public struct KernelBenchmark: Sendable {
  /// One kernel on pictures of one depth.
  public struct Row: Sendable, Encodable {
    /// The kernel's call.
    public let kernel: String
    /// The number of bits of a sample.
    public let depth: Int
    /// The speed on the device.
    public let device: Speed
    /// The speed on the Swift twins.
    public let twin: Speed
  }

  /// The speed on one device.
  public struct Speed: Sendable, Encodable {
    /// Milliseconds for the picture.
    public let milliseconds: Double
    /// Millions of the picture's pixels a second.
    public let megapixelsPerSecond: Double
    /// The bandwidth as a fraction of that of a copy (the filter `passthrough`); 1 equals it.
    public let partOfCopy: Double
  }

  private let devices: [Device]
  /// The picture in both depths, that of 8 bits first.
  private let images: [Image]

  /// Compares `device` with the CPU, on pictures of `size`.
  public init(device: Device, size: Size) throws {
    devices = [device, try Device.open(.cpu)]
    images = [.bits8, .bits16].map { SyntheticImage.ramp.image(size, channels: .rgb, depth: $0) }
  }

  private func image(_ depth: SampleDepth) -> Image { images[depth == .bits8 ? 0 : 1] }

  /// Returns why `kernel` does not take pictures of `depth`; nil if it does.
  public func refusal(_ kernel: BenchmarkKernel, depth: SampleDepth) throws -> String? {
    for device in devices {
      if let why = try kernel.refusal(image(depth), device) { return why }
    }
    return nil
  }

  /// Measures a kernel that takes pictures of `depth` on both devices.
  public func row(_ kernel: BenchmarkKernel, depth: SampleDepth, rounds: Int) throws -> Row {
    let image = image(depth)
    let copy = BenchmarkKernel(chain: "passthrough")
    let measurements = try devices.flatMap { device in
      try [kernel, copy].map { try $0.measurement(on: device, of: image) }
    }
    var times = [[Double]](repeating: [], count: measurements.count)
    for _ in 0..<rounds {
      for (number, seconds) in measurements.enumerated() { times[number].append(try seconds()) }
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

/// One call of a kernel or of a chain of filters, to be measured.
public struct BenchmarkKernel: Sendable {
  /// The call: `saturation=2`, `histogram of 256 entries, shared`.
  public let settings: String
  /// Returns why the device cannot take a picture through it; nil if it can.
  let refusal: @Sendable (Image, Device) throws -> String?
  /// Makes the kernel; returns a function that records it for a scene.
  let make: @Sendable (Device) throws -> (any KernelScene) throws -> Void

  /// Every kernel: the examples of the catalogue's filters, in the form that suits the device, and conformance's calls
  /// of kernels that no example reaches, in each form.
  public static var all: [BenchmarkKernel] {
    FilterCatalogue.entries.flatMap(\.examples).map { BenchmarkKernel(chain: $0) }
      + joined.flatMap { [BenchmarkKernel(chain: $0), BenchmarkKernel(chain: $0, joins: false)] }
      + ConformanceKernel.withoutExample.map(BenchmarkKernel.init)
  }

  /// Chains of filters that are joined, to be measured beside the same without: functions, and tables.
  private static let joined = ["gamma=2.2,saturation=1.5,invert", "gamma=2.2,posterize=7,invert"]

  /// Returns the kernels that `selection` names: all of a name, or the call itself, such as `saturation=2`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do.
  public static func kernels(_ selection: String) throws -> [BenchmarkKernel] {
    let examples = FilterCatalogue.entries.first { $0.description.name == selection }?.examples ?? []
    if !examples.isEmpty { return examples.map { BenchmarkKernel(chain: $0) } }
    let named = ConformanceKernel.withoutExample.filter { $0.name == selection }
    if !named.isEmpty { return named.map(BenchmarkKernel.init) }
    // A text that begins with no filter's name may name another kernel.
    if !FilterCatalogue.descriptions.contains(where: { selection.hasPrefix($0.name) }) {
      return try ConformanceKernel.kernels(selection).map(BenchmarkKernel.init)
    }
    _ = try FilterSyntax.parse(selection, catalogue: FilterCatalogue.descriptions)
    return [BenchmarkKernel(chain: selection)]
  }

  /// Makes a chain of filters in the form that suits the device; unless `joins`, each filter stays for itself.
  init(chain: String, joins: Bool = true) {
    settings = chain + (joins ? "" : ", not joined")
    refusal = { image, device in
      let chain = try Self.chain(chain, on: device, joins)
      do throws(SafelightError) {
        _ = try chain.plan(image.descriptor)
        return nil
      } catch {
        return error.why
      }
    }
    make = { device in
      let chain = try Self.chain(chain, on: device, joins)
      return { scene in
        var current = scene.source
        let image = current.pixelFormat.descriptor(current.size)
        let inputs = try chain.inputs(
          for: FrameIdentity(name: "the measured picture", position: 0), of: [image] + chain.plan(image))
        for (filter, input) in zip(chain.filters, inputs) {
          current = try scene.encode(filter, of: current, input: input)
        }
      }
    }
  }

  /// Makes a chain whose filters get the second pictures that it does not name from the scene.
  private static func chain(_ text: String, on device: Device, _ joins: Bool) throws -> FilterChain {
    try FilterChain(
      FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions), device, .automatic, unnamedSeconds: .encoded,
      joins: joins)
  }

  init(_ kernel: ConformanceKernel) {
    settings = kernel.settings
    refusal = { image, device in
      if !kernel.formats.contains(image.pixelFormat) { return "it takes no \(image.pixelFormat.rawValue)" }
      let edge = device.capabilities.maximumTextureSize
      let isLarger = max(image.size.width, image.size.height) > edge
      return isLarger && !kernel.isTiled ? "it takes only pictures that fit one texture, at most \(edge)×\(edge)" : nil
    }
    make = kernel.make
  }

  /// Uploads `image`, warms up, and finds the number of repetitions that a measurement needs; returns what measures the
  /// seconds that the device needs for the kernel.
  func measurement(on device: Device, of image: Image) throws -> () throws -> Double {
    let scene = try BenchmarkScene(device: device, image: image)
    let record = try make(device)
    _ = try scene.seconds(count: 2, record)
    let once = try scene.seconds(count: 1, record)
    let count = once > 0 ? min(64, max(1, Int((0.002 / once).rounded(.up)))) : 64
    return { try scene.seconds(count: count, record) / Double(count) }
  }
}

/// A kernel's picture and outputs, the same in every command buffer, so that only the kernel is measured.
package final class BenchmarkScene: KernelScene {
  package private(set) var buffer: CommandBuffer
  package let source: TiledTexture

  private let queue: CommandQueue
  private typealias Outputs = (textures: [TiledTexture], memories: [Buffer])
  /// The outputs of even and of odd calls. Two sets, because a renderer that works bin by bin (llvmpipe, and the GPUs
  /// of phones) skips a drawing that another one covers before it is read.
  private var outputs: [Outputs] = [([], []), ([], [])]
  /// The parity of this call, and the number of outputs that the kernel has asked for.
  private var turn = 0
  private var used = (textures: 0, memories: 0)

  /// Uploads `image`.
  package init(device: Device, image: Image) throws {
    queue = device.makeCommandQueue(label: "bench")
    source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source")
      .holding(image.descriptor)
    buffer = queue.makeCommandBuffer(label: "upload")
    source.encodeUpload(of: image, to: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
  }

  /// Returns the seconds that the device needs for `count` repetitions of what `record` records.
  package func seconds(count: Int, _ record: (any KernelScene) throws -> Void) throws -> Double {
    buffer = queue.makeCommandBuffer(label: "bench")
    for call in 0..<count {
      (turn, used) = (call % 2, (0, 0))
      try record(self)
    }
    buffer.commit()
    try buffer.waitUntilCompleted()
    return buffer.gpuEndTime - buffer.gpuStartTime
  }

  /// The picture itself.
  package func second(beside picture: TiledTexture) -> TiledTexture { picture }

  /// Returns the texture used two calls ago; every call asks for the same textures in the same order.
  package func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture {
    if used.textures == outputs[turn].textures.count {
      outputs[turn].textures.append(
        try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: "output"))
    }
    used.textures += 1
    return outputs[turn].textures[used.textures - 1]
  }

  package func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int) {
    if used.memories == outputs[turn].memories.count {
      outputs[turn].memories.append(try buffer.device.makeBuffer(length: byteCount, label: "output"))
    }
    used.memories += 1
    return (outputs[turn].memories[used.memories - 1], 0)
  }
}

/// Frames of any size that are as hard to encode as those of a camera: a film's frame, enlarged, under grain.
package enum BenchmarkFrame {
  /// Returns frame `number`: 8 bits, red, green, blue; each has its own grain, which never changes.
  package static func image(_ size: Size, number: Int) -> Image {
    let film = ConformanceFrame.image
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * 4)
    var grain = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
    for y in 0..<size.height {
      let row = y * film.size.height / size.height * film.size.width
      for x in 0..<size.width {
        // Marsaglia's xorshift.
        grain ^= grain << 13
        grain ^= grain >> 7
        grain ^= grain << 17
        let pixel = (row + x * film.size.width / size.width) * 4
        for sample in 0..<3 {
          let noise = UInt8(truncatingIfNeeded: grain >> UInt64(sample * 8)) & 15
          bytes.append(min(240, film.bytes[pixel + sample]) + noise)
        }
        bytes.append(255)
      }
    }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }
}
