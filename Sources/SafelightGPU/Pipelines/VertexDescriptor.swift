public import SafelightGLES
internal import SafelightImage

/// The layout of attributes in vertex buffers; Metal's `MTLVertexDescriptor` (`glVertexAttribFormat`,
/// `glVertexAttribBinding`, `glVertexBindingDivisor`).
///
/// The limits on every device are those of OpenGL ES 3.1: 16 attributes, 16 buffers, strides of 2048 and offsets of
/// 2047 bytes.
public struct VertexDescriptor: Codable, Hashable, Sendable {
  /// One attribute.
  public struct Attribute: Codable, Hashable, Sendable {
    /// The type and number of its components.
    public var format: VertexFormat
    /// Bytes from the start of a vertex.
    public var offset: Int
    /// The index of its buffer in `setVertexBuffer` or `setVertexBytes`.
    public var bufferIndex: Int

    /// Describes an attribute.
    public init(format: VertexFormat, offset: Int = 0, bufferIndex: Int = 0) {
      self.format = format
      self.offset = offset
      self.bufferIndex = bufferIndex
    }
  }

  /// The step from one vertex of a buffer to the next; Metal's `MTLVertexStepFunction`.
  public enum StepFunction: String, Codable, Hashable, Sendable {
    /// A step at each corner.
    case perVertex
    /// A step at each instance.
    case perInstance
  }

  /// One buffer.
  public struct Layout: Codable, Hashable, Sendable {
    /// Bytes from one vertex to the next.
    public var stride: Int
    /// The step after which the next vertex is read.
    public var stepFunction: StepFunction
    /// The number of instances that share a vertex, with `perInstance`.
    public var stepRate: Int

    /// Describes a buffer.
    public init(stride: Int, stepFunction: StepFunction = .perVertex, stepRate: Int = 1) {
      self.stride = stride
      self.stepFunction = stepFunction
      self.stepRate = stepRate
    }
  }

  /// Attributes by the `location` of the vertex function's input.
  public var attributes: [Int: Attribute]
  /// Buffers by index.
  public var layouts: [Int: Layout]

  /// Describes vertices; without attributes a function makes its corners from `gl_VertexID` alone.
  public init(attributes: [Int: Attribute] = [:], layouts: [Int: Layout] = [:]) {
    self.attributes = attributes
    self.layouts = layouts
  }

  /// Returns why no device supports it; nil if every device does.
  func fault(_ name: String) -> String? {
    for (index, attribute) in attributes {
      if !(0..<16).contains(index) || !(0..<16).contains(attribute.bufferIndex) {
        return "attribute \(index) in buffer \(attribute.bufferIndex) of '\(name)': both indices run from 0 to 15"
      }
      if !(0...2047).contains(attribute.offset) {
        return "attribute \(index) of '\(name)' begins at byte \(attribute.offset) of a vertex; 0 to 2047 are possible"
      }
      if layouts[attribute.bufferIndex] == nil {
        return "attribute \(index) of '\(name)' lies in buffer \(attribute.bufferIndex), which has no layout; "
          + "set layouts[\(attribute.bufferIndex)]"
      }
    }
    for (index, layout) in layouts where !(1...2048).contains(layout.stride) || layout.stepRate < 1 {
      return "layout \(index) of '\(name)' has stride \(layout.stride) and step rate \(layout.stepRate); 1 to 2048 and "
        + "at least 1 are possible"
    }
    return nil
  }

  /// Returns the number of bytes from the start of a vertex to the end of its last attribute in the buffer at `index`.
  func extent(ofBuffer index: Int) -> Int {
    attributes.values.filter { $0.bufferIndex == index }.map { $0.offset + $0.format.length }.max() ?? 0
  }
}
