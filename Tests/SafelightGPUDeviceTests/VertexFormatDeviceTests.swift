import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Layouts of attributes in buffers, and the values in the functions.
@Suite struct VertexFormatDeviceTests {
  /// Each format arrives as the right numbers.
  @Test(arguments: TestDevice.all, VertexFormat.allCases)
  func everyFormatArrives(_ test: TestDevice, _ format: VertexFormat) throws {
    let device = try test.open()
    let isInteger = Self.isInteger(format)
    let function = Self.echo(format)
    var descriptor = RenderPipelineDescriptor(
      vertex: function, fragment: Self.echoed(isInteger), pixelFormats: .rgba8Unorm)
    descriptor.vertexDescriptor = VertexDescriptor(
      attributes: [3: VertexDescriptor.Attribute(format: format, offset: 4)],
      layouts: [0: VertexDescriptor.Layout(stride: 24)])
    let bytes: [UInt8] = [0, 0, 0, 0] + Self.sample(format) + [UInt8](repeating: 0, count: 96)
    let painted = try VertexInputDeviceTests.expectTwin(device, [bytes], descriptor) { encoder, _ in
      encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
    }
    #expect(painted.pixel(10, 8, width: 33) == Self.expected(format))
  }

  // MARK: Functions

  static func isInteger(_ format: VertexFormat) -> Bool {
    !["float", "half"].contains { format.rawValue.hasPrefix($0) } && !format.rawValue.hasSuffix("Normalized")
  }

  /// A triangle over the whole target, with attribute 3 of its last corner.
  private static func echo(_ format: VertexFormat) -> ShaderFunction {
    let name = format.rawValue
    let type = !isInteger(format) ? "vec4" : name.hasPrefix("u") ? "uvec4" : "ivec4"
    let isInteger = isInteger(format)
    let value = !isInteger ? "given" : "vec4(given)"
    return ShaderFunction(
      "echo",
      """
      layout(location = 3) in \(type) given;
      flat out vec4 value;
      void main() {
        gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 0 ? 3.0 : -1.0, 0.0, 1.0);
        value = \(value);
      }
      """, arguments: [],
      twin: ShaderTwin(
        vertex: { corner in
          let id = corner.vertexID
          let bits = corner.integerAttribute(3)
          let signed = SIMD4<Int32>(truncatingIfNeeded: bits)
          let value =
            !isInteger ? corner.attribute(3) : name.hasPrefix("u") ? SIMD4<Float>(bits) : SIMD4<Float>(signed)
          return VertexOutput(position: SIMD4(id == 1 ? 3 : -1, id == 0 ? 3 : -1, 0, 1), varyings: [value])
        }, flat: [0]))
  }

  /// Writes integers without their sign, fractions as hundredths.
  private static func echoed(_ isInteger: Bool) -> ShaderFunction {
    let factor: Float = isInteger ? 1 / 255 : 100 / 255
    return ShaderFunction(
      "echoed",
      """
      flat in vec4 value;
      layout(location = 0) out vec4 color;
      void main() { color = (abs(value) * \(isInteger ? "1.0" : "100.0") + 0.25) / 255.0; }
      """, arguments: [],
      twin: ShaderTwin(fragment: { fragment in
        let value = fragment.varyings[0]
        let positive = value.replacing(with: -value, where: value .< 0)
        return FragmentOutput(positive * factor + 0.25 / 255)
      }))
  }

  /// The attributes of three vertices of 24 bytes, zero but for the last.
  static func sample(_ format: VertexFormat) -> [UInt8] {
    let name = format.rawValue
    let one: [UInt8] =
      switch name.prefix(while: \.isLetter) {
      case "float": ([-1, 0.5, 0.25, 1] as [Float]).bytes
      case "half": ([0xbc00, 0x3800, 0x3400, 0x3c00] as [UInt16]).bytes
      case "uchar": name.hasSuffix("Normalized") ? [255, 51, 102, 153] : [1, 2, 3, 4]
      case "char": name.hasSuffix("Normalized") ? [0x81, 0x80, 127, 0] : [255, 2, 253, 4]
      case "ushort": (name.hasSuffix("Normalized") ? [65535, 13107, 26214, 39321] : [1, 2, 3, 4] as [UInt16]).bytes
      case "short": (name.hasSuffix("Normalized") ? [-32767, -32768, 32767, 0] : [-1, 2, -3, 4] as [Int16]).bytes
      case "uint": ([1, 2, 3, 4] as [UInt32]).bytes
      default: ([-1, 2, -3, 4] as [Int32]).bytes
      }
    return [UInt8](repeating: 0, count: 48) + one
  }

  /// The bytes that ``echoed(_:)`` makes of ``sample(_:)``.
  static func expected(_ format: VertexFormat) -> [UInt8] {
    let name = format.rawValue
    let all: [UInt8] =
      if isInteger(format) {
        [1, 2, 3, 4]
      } else if name.hasSuffix("Normalized") {
        name.hasPrefix("u") ? [100, 20, 40, 60] : [100, 100, 100, 0]
      } else {
        [100, 50, 25, 100]
      }
    let count = format.length / componentLength(name)
    let rest: [UInt8] = [0, 0, 0, isInteger(format) ? 1 : 100]
    return (0..<4).map { $0 < count ? all[$0] : rest[$0] }
  }

  private static func componentLength(_ name: String) -> Int {
    switch name.prefix(while: \.isLetter) {
    case "float", "uint", "int": 4
    case "half", "ushort", "short": 2
    default: 1
    }
  }
}
