internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// Every filter there is: what it says of itself, and how it is made.
public enum FilterCatalogue {
  /// The descriptions, in the order in which they are listed.
  public static let descriptions: [FilterDescription] = entries.map(\.description)

  package struct Entry: Sendable {
    package let description: FilterDescription
    /// Calls that together reach every branch of the filter's functions: what conformance runs.
    package let examples: [String]
    /// The formats of pictures that it takes.
    var formats = PixelFormat.pointFormats
    /// The forms that its functions have.
    var forms = [KernelForm.render, .compute]
    let make: @Sendable (FilterCall, Device, KernelForm) throws -> any ImageFilter
  }

  /// The entry of a call.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a name that does not exist.
  static func entry(_ call: FilterCall) throws -> Entry {
    let description = try FilterSyntax.filter(named: call.name, in: descriptions)
    guard let entry = entries.first(where: { $0.description == description }) else {
      trap("filter '\(call.name)' is described but not in the catalogue; add its entry")
    }
    return entry
  }

  package static let entries: [Entry] = [equalize, clahe, match] + tone + color + [passthrough]

  private static let passthrough = Entry(
    description: FilterDescription(
      name: "passthrough",
      summary: "copies every sample as it is",
      discussion: "Upload, one pass over the picture, readback: what the road to the device costs."),
    examples: ["passthrough"],
    make: { _, device, form in
      let kernel = ImagePassthrough(device: device)
      return PointFilter { kernel.encode(to: $0, source: $1, destination: $2, form: form) }
    })
}
