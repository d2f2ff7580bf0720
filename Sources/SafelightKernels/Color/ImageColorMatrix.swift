public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Mixes red, green and blue by three rows and a bias; Core Image's `CIColorMatrix`, vImage's matrix multiplication.
///
/// Coefficients `c` are kept in 1/65536 and keep the sum of their row, the bias in whole samples:
///
///     out = clamp(floor((c.red · R + c.green · G + c.blue · B + 32768) / 65536) + bias, 0, maximum)
///
/// Where a row's sum is 1 and its bias 0, greys stay as they are. Alpha stays. In a picture of two channels blue is 0. A picture of one
/// channel takes only rows that leave greys grey (``keepsGrays``): with the same sum and bias.
public struct ImageColorMatrix: Sendable {
  /// The rows.
  public let vectors: ColorVectors

  /// Makes the kernel; all coefficients and biases must lie in ``ColorVectors/coefficients``.
  public init(device: Device, vectors: ColorVectors) {
    for vector in [vectors.red, vectors.green, vectors.blue, vectors.bias] {
      trap(
        unless: (0..<3).allSatisfy { ColorVectors.coefficients.contains(vector[$0]) },
        "a row (\(vector.x), \(vector.y), \(vector.z)) of a colour matrix lies outside \(ColorVectors.coefficients)")
    }
    self.vectors = vectors
  }

  /// Whether every grey becomes a grey, so that pictures of one channel can be taken.
  public var keepsGrays: Bool {
    [PixelFormat.r8Unorm, .r16Uint].allSatisfy { QuantizedColorVectors(vectors, maximum: $0.maximum).gray != nil }
  }

  /// Records the kernel. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let format = source.pixelFormat
    var rows = QuantizedColorVectors(vectors, maximum: format.maximum)
    if format.samplesPerPixel == 1 {
      guard let gray = rows.gray else {
        trap(
          "a picture of one channel cannot hold the colours that this matrix makes of greys; give it colour, or use rows of one sum and bias"
        )
      }
      rows.red = gray
    }
    var bindings = Bindings()
    bindings.setBytes((rows.red, rows.green, rows.blue), index: 2)
    Self.library[format].encode(
      to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: "color matrix")
  }

  private static let library = PipelineLibrary<PixelFormat, PointFunction> { format in
    PointFunction(name: "color_matrix", body: ShaderText(.colorMatrix), format: format, checked: twin)
  }

  /// Nil where the words are no rows inside the limits.
  static func twin(_ words: [UInt32]) -> PointFunction.Twin? {
    guard words.count >= 12 else { return nil }
    let rows = (0..<3).map { row in
      SIMD4((0..<4).map { Int32(bitPattern: words[4 * row + $0]) })
    }
    // Three coefficients of 16, or their sum in one, and what rounding moved.
    let isInside = rows.allSatisfy { row in
      (0..<3).reduce(0) { $0 + Int(row[$1].magnitude) } <= (3 << 20) + 4 && row.w.magnitude <= 16 * 65535
    }
    guard isInside else { return nil }
    let (red, green, blue) = (rows[0], rows[1], rows[2])
    return { _, source, destination in
      let maximum = Int32(source.pixelFormat.maximum)
      walkPixels(from: source, to: destination) { pixel in
        let high = pixel &>> 8
        let low = pixel & 255
        @inline(__always) func mixed(_ row: SIMD4<Int32>) -> Int32 {
          let h = row.x &* high.x &+ row.y &* high.y &+ row.z &* high.z
          let l = row.x &* low.x &+ row.y &* low.y &+ row.z &* low.z
          return min(max(((h &+ ((l &+ 32768) >> 8)) >> 8) &+ row.w, 0), maximum)
        }
        return SIMD4(mixed(red), mixed(green), mixed(blue), pixel.w)
      }
    }
  }
}
