public import SafelightGPU
public import SafelightImage
public import SafelightShaders

/// A kernel that makes each sample from those of the same channel in a square around its place; beyond the edge of the
/// picture lie those at the edge.
///
/// The family has both forms on a device, tiles with their borders, and the twin's loop over rows.
public protocol WindowKernel: ImageKernel {
  /// The columns and rows to each side that count: 1 for squares of 3×3.
  var radius: Int { get }

  /// The radii that there are.
  static var radii: ClosedRange<Int> { get }

  /// The body: defines `uvec4 pointKernel(uvec4 pixel)` with `Common/window.glsl`. The family finds that of this
  /// package
  /// by the kernel's name.
  static var shader: ShaderText { get }

  /// The body again: makes `made` of the samples around.
  static func make<Sample: WindowSample>(_ made: UnsafeMutableBufferPointer<Sample>, of window: WindowRows<Sample>)

  /// The loop over the body; the family has it.
  static var twin: WindowTwin { get }
}

/// The loop of a window kernel's twin.
public struct WindowTwin: Sendable {
  let run: @Sendable (_ source: TextureMemory, _ destination: TextureMemory, _ radius: Int) -> Void
}

/// A sample of 8 or of 16 bits.
public typealias WindowSample = FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable

/// Samples of a row, and what lies around each of them.
public struct WindowRows<Sample: WindowSample> {
  /// The rows that there are, each with the pixels at its ends again.
  private let memory: [[Sample]]
  /// Which of them lie around the samples, from the uppermost to the lowest.
  private let rows: [Int]
  /// Where the samples begin in them.
  private let start: Int
  /// Samples from one pixel to the next.
  private let step: Int
  /// How many samples are made.
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

  /// Hands out for each of the samples the one so many columns to the right and so many rows below it.
  @inline(__always) public func read(_ x: Int, _ y: Int, _ body: (UnsafeBufferPointer<Sample>) -> Void) {
    let first = start + x * step
    unsafe memory[rows[y + radius]].withUnsafeBufferPointer { row in
      unsafe body(UnsafeBufferPointer(rebasing: row[first..<first + count]))
    }
  }
}

extension WindowKernel {
  /// The text of this package whose file is called as the kernel.
  public static var shader: ShaderText { card.shader }

  /// A requirement, so that each kernel has a loop with its own body in it.
  public static var twin: WindowTwin {
    WindowTwin { source, destination, radius in
      switch source.pixelFormat.bytesPerSample {
      case 1: walkWindows(Self.self, UInt8.self, radius, from: source, to: destination)
      case 2: walkWindows(Self.self, UInt16.self, radius, from: source, to: destination)
      default: trap("kernels take samples of 8 and of 16 bits, not \(source.pixelFormat.rawValue)")
      }
    }
  }

  /// The twin of its function, in both forms.
  public static func addTwins(to twins: inout TwinLibrary) { twins.add(Self.self) }

  /// Two channels are no picture.
  public static var formats: [PixelFormat] { PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 } }

  /// The kernel by parts with their borders.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage { WindowStage(self, form) }

  /// Records the kernel. Both textures need the same size and format, and other memory.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.card.check(self)
    let format = source.pixelFormat
    Self.checkFormat(of: source)
    WindowFunctions.function(of: Self.self, format, radius)
      .encode(to: buffer, source: source, destination: destination, form: form, label: Self.card.name)
  }
}

/// A window kernel as a stage.
private struct WindowStage<Kernel: WindowKernel>: ImageStage {
  let kernel: Kernel
  let form: KernelForm

  init(_ kernel: Kernel, _ form: KernelForm) {
    self.kernel = kernel
    self.form = form
  }

  var reach: StageReach { .neighbors(kernel.radius) }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor { try kernel.output(of: image) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    source.encodeParts(border: kernel.radius, to: destination, in: buffer) {
      kernel.encode(to: buffer, source: $0, destination: $1, form: form)
    }
  }
}

/// The functions of window kernels, made at first use and shared by all devices.
private enum WindowFunctions {
  private static let known = PipelineLibrary<FunctionKey<any WindowKernel.Type>, PointFunction> {
    make($0.kernel, $0.format, $0.variant)
  }

  static func function(of kernel: any WindowKernel.Type, _ format: PixelFormat, _ radius: Int) -> PointFunction {
    known[FunctionKey(kernel, kernel, format, radius)]
  }

  private static func make<Kernel: WindowKernel>(
    _ kernel: Kernel.Type, _ format: PixelFormat, _ radius: Int
  ) -> PointFunction {
    let twin = Kernel.twin
    return PointFunction(
      name: Kernel.card.functionName, body: Kernel.shader, format: format,
      constants: [ShaderAssembly.Constant("RADIUS", radius)], worksInBands: false
    ) { _, source, destination in twin.run(source, destination, radius) }
  }
}

extension TwinLibrary {
  /// Adds the twin of a window kernel, which serves captures of both its forms.
  mutating func add<Kernel: WindowKernel>(_ kernel: Kernel.Type) {
    let twin = Kernel.twin
    add(point: Kernel.card.functionName, worksInBands: false) { format, _, macros in
      guard Kernel.formats.contains(format), let radius = macros["RADIUS", Kernel.radii] else { return nil }
      return { _, source, destination in twin.run(source, destination, radius) }
    }
  }
}

/// Has `kernel` make every row of `destination`, in pieces that stay in a processor's nearest memory.
private func walkWindows<Kernel: WindowKernel, Sample: WindowSample>(
  _ kernel: Kernel.Type, _ type: Sample.Type, _ radius: Int, from source: TextureMemory, to destination: TextureMemory
) {
  let (size, step) = (source.size, source.pixelFormat.samplesPerPixel)
  let (line, border) = (size.width * step, radius * step)
  unsafe source.withSamples(of: type) { from in
    unsafe destination.withMutableSamples(of: type) { to in
      RowBands(size).concurrently { _, band in
        // The rows around the one that is made, each with the pixels at its ends again.
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
