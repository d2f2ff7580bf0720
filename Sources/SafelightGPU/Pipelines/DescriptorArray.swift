internal import SafelightImage

/// A part of a descriptor that exists before anything about it is set.
public protocol DescriptorElement {
  /// Makes a part with Metal's defaults.
  init()
}

/// Parts of a descriptor by index; Metal's descriptor arrays, such as `MTLVertexAttributeDescriptorArray`.
///
/// As in Metal a part need not be made: `attributes[0].format = .float2` makes it, and those before it.
public struct DescriptorArray<Element: DescriptorElement>: RandomAccessCollection, MutableCollection {
  /// The parts that were set, by index.
  package private(set) var elements: [Int: Element]

  private static var indices: Range<Int> { 0..<31 }

  /// Makes an array of `elements`, from index 0 on.
  public init(_ elements: some Sequence<Element>) { self.init(elements.enumerated().map { ($0.offset, $0.element) }) }

  private init(_ elements: [(Int, Element)]) {
    self.elements = [:]
    for (index, element) in elements { self[index] = element }
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The index after that of the last part that was set.
  public var endIndex: Int { (elements.keys.max() ?? -1) + 1 }

  /// The part at `index`, from 0 to 30; one with Metal's defaults if nothing about it was set.
  public subscript(index: Int) -> Element {
    get { elements[index] ?? Element() }
    set {
      trap(
        unless: Self.indices.contains(index), "part \(index) of a descriptor was set; their indices run from 0 to 30")
      elements[index] = newValue
    }
  }
}

extension DescriptorArray: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Makes an array of `elements`, from index 0 on.
  public init(arrayLiteral elements: Element...) { self.init(elements) }

  /// Makes an array of elements with their indices.
  public init(dictionaryLiteral elements: (Int, Element)...) { self.init(elements) }
}

extension DescriptorArray: Sendable where Element: Sendable {}
extension DescriptorArray: Equatable where Element: Equatable {}
extension DescriptorArray: Hashable where Element: Hashable {}

extension DescriptorArray: Encodable where Element: Encodable {
  /// Writes the parts that were set, by index.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension DescriptorArray: Decodable where Element: Decodable {
  /// Reads parts by index.
  public init(from decoder: any Decoder) throws {
    elements = try [Int: Element](from: decoder)
    if let index = elements.keys.first(where: { !Self.indices.contains($0) }) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a descriptor has no part \(index)"))
    }
  }
}
