package import SafelightImage

/// A look-up table that the CPU works out for both bodies of a function.
package protocol PassTable: Hashable, Sendable {
  /// The columns and rows of the entries; no more than a texture of every device holds.
  var size: Size { get }

  /// Works out the entries, row by row: four unsigned integers of 16 bits each.
  func entries() -> [UInt16]
}

extension Pass {
  /// A table among the resources of passes. Equal tables share a texture.
  package struct Table: Hashable, Sendable {
    let value: any PassTable

    init(_ value: any PassTable) { self.value = value }

    package static func == (one: Table, other: Table) -> Bool { one.value.isEqual(to: other.value) }
    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
  }
}

extension Pass {
  /// A picture among the resources of passes. Equal pictures share a texture.
  package struct Constant: Hashable, Sendable {
    let image: Image

    package init(_ image: Image) { self.image = image }

    /// Hashes what the picture is like: all of its samples would take long.
    package func hash(into hasher: inout Hasher) { hasher.combine(image.descriptor) }
  }
}

extension PassTable {
  fileprivate func isEqual(to other: any PassTable) -> Bool { self == other as? Self }
}
