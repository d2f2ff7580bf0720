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
  static func paint(_ destination: TextureMemory, from source: TextureMemory, radius: Int)
}

/// Samples of a row, and the samples around each of them.
public struct WindowRows<Sample: UnsignedSample> {
  /// Rows, each with the pixels at its ends repeated.
  fileprivate let memory: [[Sample]]
  /// The rows around the samples, from the uppermost to the lowest.
  fileprivate let rows: [Int]
  /// The place of the first sample in the rows.
  fileprivate let start: Int
  /// The samples from one pixel to the next.
  fileprivate let step: Int
  /// The number of samples to make.
  public let count: Int
  /// The columns and rows to each side.
  public let radius: Int

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
  public static func paint(_ destination: TextureMemory, from source: TextureMemory, radius: Int) {
    switch source.pixelFormat.bytesPerSample {
    case 1: walkWindows(Self.self, UInt8.self, radius, from: source, to: destination)
    case 2: walkWindows(Self.self, UInt16.self, radius, from: source, to: destination)
    default: trap("kernels take samples of 8 and of 16 bits, not \(source.pixelFormat.rawValue)")
    }
  }

  /// Adds the twin of the kernel's function, in both forms.
  public static func addTwins(to twins: inout TwinLibrary) { twins.add(WindowFunction<Self>.self) }

  /// Integers of 8 and of 16 bits, without two channels.
  public static var formats: [PixelFormat] { PixelFormat.pictureFormats }

  /// The kernel by parts with their borders.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    KernelStage(reach: .neighbors(radius), output: output) { buffer, source, destination in
      source.encodeParts(border: radius, to: destination, in: buffer) {
        encode(to: buffer, source: $0, destination: $1, form: form)
      }
    }
  }

  /// Records the kernel. Both textures need the same size and format, and other memory.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.card.check(self)
    Self.checkFormat(of: source)
    WindowFunction<Self>(format: source.pixelFormat, radius: radius).forms
      .encode(to: buffer, source: source, destination: destination, form: form, label: Self.card.name)
  }
}

/// The function of a window kernel.
private struct WindowFunction<Kernel: WindowKernel>: PointFunction {
  let format: PixelFormat
  let radius: Int

  static var shaders: [ShaderSource] { [] }
  static var names: [String] { [Kernel.card.functionName] }
  static var worksInBands: Bool { false }
  var body: ShaderText { Kernel.shader }
  var constants: [ShaderAssembly.Constant] { [.init("RADIUS", radius)] }
  var arguments: [ShaderArgument] { [] }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    guard Kernel.formats.contains(format), let radius = call["RADIUS", Kernel.radii] else { return nil }
    return Self(format: format, radius: radius)
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    Kernel.paint(destination, from: source, radius: radius)
  }
}

/// Makes every row of `destination` by `kernel`, in pieces that fit a processor's nearest cache.
private func walkWindows<Kernel: WindowKernel, Sample: UnsignedSample>(
  _ kernel: Kernel.Type, _ type: Sample.Type, _ radius: Int, from source: TextureMemory, to destination: TextureMemory
) {
  let (size, step) = (source.size, source.pixelFormat.samplesPerPixel)
  let (line, border) = (size.width * step, radius * step)
  // A piece has 1 KiB of each row: a median of 7×7 keeps 26 rows, and the nearest cache holds 32 KiB.
  let piece = 1024 / MemoryLayout<Sample>.size
  unsafe source.withSamples(of: type) { from in
    unsafe destination.withMutableSamples(of: type) { to in
      RowBands(size).concurrently { _, band in
        // The rows around the one that is made, each with the pixels at its ends repeated.
        var around = (0...2 * radius).map { _ in [Sample](repeating: 0, count: line + 2 * border) }
        func fill(_ y: Int) {
          let row = min(max(y, 0), size.height - 1) * line
          unsafe around[(y + radius) % (2 * radius + 1)].withUnsafeMutableBufferPointer { filled in
            _ = unsafe filled[border..<border + line].update(fromContentsOf: from[row..<row + line])
            for place in 0..<border {
              unsafe filled[place] = from[row + place % step]
              unsafe filled[border + line + place] = from[row + line - step + place % step]
            }
          }
        }
        for y in band.lowerBound - radius..<band.lowerBound + radius { fill(y) }
        for y in band {
          fill(y + radius)
          let rows = (-radius...radius).map { (y + $0 + radius) % (2 * radius + 1) }
          for start in stride(from: 0, to: line, by: piece) {
            let count = min(piece, line - start)
            unsafe kernel.make(
              UnsafeMutableBufferPointer(rebasing: to[y * line + start..<y * line + start + count]),
              of: WindowRows(
                memory: around, rows: rows, start: border + start, step: step, count: count, radius: radius))
          }
        }
      }
    }
  }
}
