public import SafelightGLES
internal import SafelightImage

/// The layout of attributes in vertex buffers; Metal's `MTLVertexDescriptor` (`glVertexAttribFormat`,
/// `glVertexAttribBinding`, `glVertexBindingDivisor`).
///
/// The limits on every device are those of OpenGL ES 3.1: 16 attributes, 16 buffers, strides of 2048 and offsets of
/// 2047 bytes.
public struct VertexDescriptor: Codable, Hashable, Sendable {
  /// One attribute.
  public struct Attribute: DescriptorElement, Codable, Hashable, Sendable {
    /// The type and number of its components; nil for an attribute that the function does not read.
    public var format: VertexFormat?
    /// Bytes from the start of a vertex.
    public var offset: Int
    /// The index of its buffer in `setVertexBuffer` or `setVertexBytes`.
    public var bufferIndex: Int

    /// Makes an attribute at the start of a vertex of buffer 0; its format is still to be set.
    public init() { (offset, bufferIndex) = (0, 0) }

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
  public struct Layout: DescriptorElement, Codable, Hashable, Sendable {
    /// Bytes from one vertex to the next; 0 for a buffer without attributes.
    public var stride: Int
    /// The step after which the next vertex is read.
    public var stepFunction: StepFunction
    /// The number of instances that share a vertex, with `perInstance`.
    public var stepRate: Int

    /// Makes a buffer whose step is each corner; its stride is still to be set.
    public init() { self.init(stride: 0) }

    /// Describes a buffer.
    public init(stride: Int, stepFunction: StepFunction = .perVertex, stepRate: Int = 1) {
      self.stride = stride
      self.stepFunction = stepFunction
      self.stepRate = stepRate
    }
  }

  /// Attributes by the `location` of the vertex function's input: `attributes[0].format = .float2`.
  public var attributes: DescriptorArray<Attribute>
  /// Buffers by index: `layouts[0].stride = 8`.
  public var layouts: DescriptorArray<Layout>

  /// Describes vertices; without attributes a function makes its corners from `gl_VertexID` alone.
  public init(attributes: DescriptorArray<Attribute> = [:], layouts: DescriptorArray<Layout> = [:]) {
    self.attributes = attributes
    self.layouts = layouts
  }

  /// Returns why no device supports it; nil if every device does.
  func fault(_ name: String) -> String? {
    for (index, attribute) in attributes.elements.sorted(by: { $0.key < $1.key }) {
      if attribute.format == nil {
        // What was set of it would be without effect.
        if attribute == Attribute() { continue }
        return "attribute \(index) of '\(name)' has no format; set attributes[\(index)].format"
      }
      if !(0..<16).contains(index) || !(0..<16).contains(attribute.bufferIndex) {
        return "attribute \(index) in buffer \(attribute.bufferIndex) of '\(name)': both indices run from 0 to 15"
      }
      if !(0...2047).contains(attribute.offset) {
        return "attribute \(index) of '\(name)' begins at byte \(attribute.offset) of a vertex; 0 to 2047 are possible"
      }
      if layouts[attribute.bufferIndex].stride == 0 {
        return "attribute \(index) of '\(name)' lies in buffer \(attribute.bufferIndex), which has no stride; "
          + "set layouts[\(attribute.bufferIndex)].stride"
      }
    }
    for (index, layout) in layouts.elements
    where layout != Layout() && !(1...2048).contains(layout.stride) || layout.stepRate < 1 {
      return "layout \(index) of '\(name)' has stride \(layout.stride) and step rate \(layout.stepRate); 1 to 2048 and "
        + "at least 1 are possible"
    }
    return nil
  }

  /// The attributes that functions read, by location.
  var formats: [Int: VertexFormat] { attributes.elements.compactMapValues(\.format) }

  /// The buffers of attributes, by index.
  var buffers: [Int: Layout] { layouts.elements.filter { $0.value.stride > 0 } }

  /// Returns the number of bytes from the start of a vertex to the end of its last attribute in the buffer at `index`.
  func extent(ofBuffer index: Int) -> Int {
    attributes.filter { $0.bufferIndex == index }.map { $0.offset + ($0.format?.length ?? 0) }.max() ?? 0
  }
}
