import SafelightFrames
import SafelightImage

extension GoldenChange {
  /// Calls the golden `old` `new` from now on, with its variants, its mask and what is said of them.
  ///
  /// Throws a ``SafelightError`` of kind `usage` if no golden can be called so, `missingInput` if there is none to rename, `output` if
  /// a golden or a file of the new name is there, and what reading its files throws.
  public mutating func rename(_ old: String, to new: String) throws {
    try GoldenName.check(new)
    var row = try existing(old)
    guard self.row(new) == nil else {
      throw SafelightError(
        .output, new, why: "a golden of this name is there already", remedy: "choose another name, or remove that one")
    }
    for (file, target) in zip(row.files(of: old), row.files(of: new)) {
      if before.files[target] != nil {
        throw SafelightError(
          .output, target, why: "a file of this name is there already", remedy: "choose another name, or move it away")
      }
      try write(readRegularFile(before.place(of: file)), to: target)
      removeFile(file)
    }
    if row.hasMaskFile { row.mask = PathParts(GoldenName.file(new, GoldenName.mask)).name }
    try set(nil, for: old)
    try set(row, for: new)
  }

  /// Removes the golden `name` with its variants, its mask and what is said of them; with a variant that picture alone.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` if there is no such golden or variant.
  public mutating func remove(_ name: String, variant: String? = nil) throws {
    var row = try existing(name)
    guard let variant else {
      for file in row.files(of: name) { removeFile(file) }
      return try set(nil, for: name)
    }
    try GoldenName.check(variant: variant)
    guard row.pictures.removeValue(forKey: variant) != nil else {
      let variants = row.pictures.keys.filter { $0 != GoldenManifest.defaultPicture }.sorted()
      throw SafelightError(
        .missingInput, name, why: "it has no variant \(variant)",
        remedy: variants.isEmpty ? "it has none at all" : "it has \(variants.joined(separator: ", "))")
    }
    removeFile(GoldenName.file(name, variant))
    try set(row, for: name)
  }

  private func existing(_ name: String) throws(SafelightError) -> GoldenManifest.Row {
    if let row = row(name) { return row }
    throw SafelightError(.missingInput, name, why: "no golden has this name", remedy: "check the name")
  }
}
