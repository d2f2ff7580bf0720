public import SafelightGPU
public import SafelightImage
public import SafelightShaders

/// A kernel that makes each sample from those of the same channel in a square around its place. Samples beyond the edge
/// of the picture repeat those at the edge.
///
/// The family makes the kernel's pass, with the twin's loop over rows.
public protocol WindowKernel: PassKernel {
  /// The columns and rows to each side: 1 for squares of 3×3.
  var radius: Int { get }

  /// The body, which defines `uvec4 pointKernel(uvec4 pixel)` and reads `source(x, y)`, the pixel `x` columns to the
  /// right and `y` rows below, at most `RADIUS` away. By default this package's file with the kernel's name.
  static var shader: ShaderText { get }

  /// The body in Swift: fills `made` from the samples around.
  static func make<Sample: UnsignedSample>(_ made: UnsafeMutableBufferPointer<Sample>, of window: WindowRows<Sample>)

  /// The loop over the body, which the family provides.
  static func paint(_ memory: PassMemory, radius: Int)
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
  public static func paint(_ memory: PassMemory, radius: Int) {
    switch memory.output.pixelFormat.depth {
    case .bits8: walkWindows(Self.self, UInt8.self, radius, memory)
    case .bits16: walkWindows(Self.self, UInt16.self, radius, memory)
    }
  }

  /// Integers of 8 and of 16 bits, without two channels.
  public static var formats: [PixelFormat] { PixelFormat.pictureFormats }

  /// One pass over windows.
  public func passes(for picture: PassPicture) -> [Pass] {
    [Pass(WindowFunction<Self>(radius: radius), inputs: [.source(.square(radius: radius))])]
  }

  /// Records the kernel. Both textures need the same size and format, and other memory.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    encodePasses(to: buffer, source: source, destination: destination, form: form)
  }
}

/// The function of a window kernel.
private struct WindowFunction<Kernel: WindowKernel>: PassFunction {
  let radius: Int

  var name: String { Kernel.card.functionName }
  var body: ShaderText { Kernel.shader }
  var constants: [ShaderAssembly.Constant] { [.init("RADIUS", radius)] }

  func make(_ memory: PassMemory) { Kernel.paint(memory, radius: radius) }
}

/// Makes every row of `memory`'s region by `kernel`, in pieces that fit a processor's nearest cache.
private func walkWindows<Kernel: WindowKernel, Sample: UnsignedSample>(
  _ kernel: Kernel.Type, _ type: Sample.Type, _ radius: Int, _ memory: PassMemory
) {
  let (region, source, step) = (memory.region, memory.inputs[0], memory.output.step)
  let (line, border) = (region.size.width * step, radius * step)
  // The columns of a window's row that lie in the picture, and the samples that repeat those at its edges.
  let first = max(0, region.x - radius)
  let end = min(source.size.width, region.x + region.size.width + radius)
  let before = (first - (region.x - radius)) * step
  let held = (end - first) * step
  // The rows around the one that is made, each with the pixels at its ends repeated.
  var around = (0...2 * radius).map { _ in [Sample](repeating: 0, count: line + 2 * border) }
  func fill(_ y: Int) {
    let row = unsafe source.row(type, x: first, y: min(max(y, 0), source.size.height - 1), count: end - first)
    unsafe around[(y + radius) % (2 * radius + 1)].withUnsafeMutableBufferPointer { filled in
      _ = unsafe filled[before..<before + held].update(fromContentsOf: row)
      for place in 0..<before { unsafe filled[place] = row[place % step] }
      for place in before + held..<filled.count {
        unsafe filled[place] = row[held - step + (place - before - held) % step]
      }
    }
  }
  // A piece has 1 KiB of each row: a median of 7×7 keeps 26 rows, and the nearest cache holds 32 KiB.
  let piece = 1024 / MemoryLayout<Sample>.size
  let rows = region.y..<region.y + region.size.height
  for y in rows.lowerBound - radius..<rows.lowerBound + radius { fill(y) }
  for y in rows {
    fill(y + radius)
    let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
    let rows = (-radius...radius).map { (y + $0 + radius) % (2 * radius + 1) }
    for start in stride(from: 0, to: line, by: piece) {
      let count = min(piece, line - start)
      unsafe kernel.make(
        UnsafeMutableBufferPointer(rebasing: made[start..<start + count]),
        of: WindowRows(memory: around, rows: rows, start: border + start, step: step, count: count, radius: radius))
    }
  }
}
