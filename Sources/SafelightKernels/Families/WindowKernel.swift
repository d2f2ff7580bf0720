public import SafelightGPU
public import SafelightImage
public import SafelightShaders

/// A kernel that makes each sample from those of the same channel in a square around its place. Samples beyond the edge
/// of the picture repeat those at the edge.
///
/// The family has both forms on a device, tiles with their borders, and the twin's loop over rows.
public protocol WindowKernel: ImageKernel {
  /// The columns and rows to each side: 1 for squares of 3×3.
  var radius: Int { get }

  /// The possible radii.
  static var radii: ClosedRange<Int> { get }

  /// The body, which defines `uvec4 pointKernel(uvec4 pixel)` with `Common/window.glsl`. By default this package's file
  /// with the kernel's name.
  static var shader: ShaderText { get }

  /// The body in Swift: fills `made` from the samples around.
  static func make<Sample: UnsignedSample>(_ made: UnsafeMutableBufferPointer<Sample>, of window: WindowRows<Sample>)

  /// The loop over the body, which the family provides.
  static var twin: WindowTwin { get }
}

/// The loop of a window kernel's twin.
public struct WindowTwin: Sendable {
  let run: @Sendable (_ source: TextureMemory, _ destination: TextureMemory, _ radius: Int) -> Void
}

/// Samples of a row, and the samples around each of them.
public struct WindowRows<Sample: UnsignedSample> {
  /// Rows, each with the pixels at its ends repeated.
  private let memory: [[Sample]]
  /// The rows around the samples, from the uppermost to the lowest.
  private let rows: [Int]
  /// The place of the first sample in the rows.
  private let start: Int
  /// The samples from one pixel to the next.
  private let step: Int
  /// The number of samples to make.
  public let count: Int
  /// The columns and rows to each side.
  public let radius: Int

  fileprivate init(_ memory: [[Sample]], _ rows: [Int], start: Int, count: Int, step: Int) {
    self.memory = memory
    self.rows = rows
    self.start = start
    self.step = step
    self.count = count
    radius = rows.count / 2
  }

  /// Calls `body` with the samples that lie `x` columns to the right and `y` rows below.
  @inline(__always) public func read(_ x: Int, _ y: Int, _ body: (UnsafeBufferPointer<Sample>) -> Void) {
    let first = start + x * step
    unsafe memory[rows[y + radius]].withUnsafeBufferPointer { row in
      unsafe body(UnsafeBufferPointer(rebasing: row[first..<first + count]))
    }
  }
}

extension WindowKernel {
  /// This package's file with the kernel's name.
  public static var shader: ShaderText { card.shader }

  /// A requirement, so that each kernel gets a loop with its body inlined.
  public static var twin: WindowTwin {
    WindowTwin { source, destination, radius in
      switch source.pixelFormat.bytesPerSample {
      case 1: walkWindows(Self.self, UInt8.self, radius, from: source, to: destination)
      case 2: walkWindows(Self.self, UInt16.self, radius, from: source, to: destination)
      default: trap("kernels take samples of 8 and of 16 bits, not \(source.pixelFormat.rawValue)")
      }
    }
  }

  /// Adds the twin of the kernel's function, in both forms.
  public static func addTwins(to twins: inout TwinLibrary) {
    let twin = Self.twin
    twins.add(point: card.functionName, worksInBands: false) { call, format in
      guard formats.contains(format), let radius = call["RADIUS", radii] else { return nil }
      return { twin.run($1, $2, radius) }
    }
  }

  /// Integers of 8 and of 16 bits, without two channels.
  public static var formats: [PixelFormat] { PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 } }

  /// The kernel by parts with their borders.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    KernelStage(self, reach: .neighbors(radius)) { buffer, source, destination in
      source.encodeParts(border: radius, to: destination, in: buffer) {
        encode(to: buffer, source: $0, destination: $1, form: form)
      }
    }
  }

  /// Records the kernel. Both textures need the same size and format, and other memory.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.card.check(self)
    let format = source.pixelFormat
    Self.checkFormat(of: source)
    functions[FunctionKey(Self.self, Self.self, format, radius)]
      .encode(to: buffer, source: source, destination: destination, form: form, label: Self.card.name)
  }

  fileprivate static func makeFunction(_ format: PixelFormat, _ radius: Int) -> PointFunction {
    let twin = Self.twin
    return PointFunction(
      name: card.functionName, body: [shader], format: format, constants: [.init("RADIUS", radius)], worksInBands: false
    ) { twin.run($1, $2, radius) }
  }
}

private let functions = PipelineLibrary<FunctionKey<any WindowKernel.Type>, PointFunction> {
  $0.kernel.makeFunction($0.format, $0.variant)
}

/// Makes every row of `destination` by `kernel`, in pieces that fit a processor's nearest cache.
private func walkWindows<Kernel: WindowKernel, Sample: UnsignedSample>(
  _ kernel: Kernel.Type, _ type: Sample.Type, _ radius: Int, from source: TextureMemory, to destination: TextureMemory
) {
  let (size, step) = (source.size, source.pixelFormat.samplesPerPixel)
  let (line, border) = (size.width * step, radius * step)
  unsafe source.withSamples(of: type) { from in
    unsafe destination.withMutableSamples(of: type) { to in
      RowBands(size).concurrently { _, band in
        // The rows around the one that is made, each with the pixels at its ends repeated.
        var around = (0...2 * radius).map { _ in [Sample](repeating: 0, count: line + 2 * border) }
        func fill(_ y: Int) {
          let row = min(max(y, 0), size.height - 1) * line
          let slot = (y + radius) % (2 * radius + 1)
          for place in 0..<line { around[slot][border + place] = unsafe from[row + place] }
          for place in 0..<border {
            around[slot][place] = unsafe from[row + place % step]
            around[slot][border + line + place] = unsafe from[row + line - step + place % step]
          }
        }
        for y in band.lowerBound - radius..<band.lowerBound + radius { fill(y) }
        for y in band {
          fill(y + radius)
          let rows = (-radius...radius).map { (y + $0 + radius) % (2 * radius + 1) }
          for start in stride(from: 0, to: line, by: 2048) {
            let count = min(2048, line - start)
            unsafe kernel.make(
              UnsafeMutableBufferPointer(rebasing: to[y * line + start..<y * line + start + count]),
              of: WindowRows(around, rows, start: border + start, count: count, step: step))
          }
        }
      }
    }
  }
}
