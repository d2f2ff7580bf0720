internal import CGLES

/// How an attribute of a vertex lies in its buffer; Metal's `MTLVertexFormat`.
///
/// `Normalized` ones reach the function as 0 to 1 or −1 to 1, other integers as `ivec` and `uvec`.
public enum VertexFormat: String, Codable, Hashable, Sendable, CaseIterable {
  case float, float2, float3, float4
  case half2, half4
  case uchar2, uchar4, char2, char4, uchar2Normalized, uchar4Normalized, char2Normalized, char4Normalized
  case ushort2, ushort4, short2, short4, ushort2Normalized, ushort4Normalized, short2Normalized, short4Normalized
  case uint, uint2, uint3, uint4, int, int2, int3, int4

  /// The number that a component is.
  package enum Component: Hashable, Sendable {
    case float, half, uchar, char, ushort, short, uint, int

    package var length: Int {
      switch self {
      case .uchar, .char: 1
      case .half, .ushort, .short: 2
      case .float, .uint, .int: 4
      }
    }

    var glValue: GLenum {
      switch self {
      case .float: GLenum(GL_FLOAT)
      case .half: GLenum(GL_HALF_FLOAT)
      case .uchar: GLenum(GL_UNSIGNED_BYTE)
      case .char: GLenum(GL_BYTE)
      case .ushort: GLenum(GL_UNSIGNED_SHORT)
      case .short: GLenum(GL_SHORT)
      case .uint: GLenum(GL_UNSIGNED_INT)
      case .int: GLenum(GL_INT)
      }
    }
  }

  /// What a component is.
  package var component: Component {
    switch self {
    case .float, .float2, .float3, .float4: .float
    case .half2, .half4: .half
    case .uchar2, .uchar4, .uchar2Normalized, .uchar4Normalized: .uchar
    case .char2, .char4, .char2Normalized, .char4Normalized: .char
    case .ushort2, .ushort4, .ushort2Normalized, .ushort4Normalized: .ushort
    case .short2, .short4, .short2Normalized, .short4Normalized: .short
    case .uint, .uint2, .uint3, .uint4: .uint
    case .int, .int2, .int3, .int4: .int
    }
  }

  /// How many there are, 1 to 4.
  package var count: Int {
    switch self {
    case .float, .uint, .int: 1
    case .float2, .uint2, .int2, .half2, .uchar2, .char2, .ushort2, .short2: 2
    case .uchar2Normalized, .char2Normalized, .ushort2Normalized, .short2Normalized: 2
    case .float3, .uint3, .int3: 3
    case .float4, .uint4, .int4, .half4, .uchar4, .char4, .ushort4, .short4: 4
    case .uchar4Normalized, .char4Normalized, .ushort4Normalized, .short4Normalized: 4
    }
  }

  /// Whether integers stand for fractions.
  package var isNormalized: Bool { rawValue.hasSuffix("Normalized") }

  /// Whether the function gets integers.
  package var isInteger: Bool { component != .float && component != .half && !isNormalized }

  /// Bytes of an attribute.
  public var length: Int { component.length * count }
}
