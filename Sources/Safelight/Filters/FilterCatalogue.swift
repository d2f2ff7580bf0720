internal import SafelightGPU
internal import SafelightKernels

/// Every filter there is: what it says of itself, and how it is made.
public enum FilterCatalogue {
  /// The descriptions, in the order in which they are listed.
  public static let descriptions: [FilterDescription] = entries.map(\.description)

  struct Entry: Sendable {
    let description: FilterDescription
    /// Calls that together reach every branch of the filter's functions: what conformance runs.
    let examples: [String]
    let make: @Sendable (FilterCall, Device, KernelForm) throws -> any ImageFilter
  }

  static let entries: [Entry] = [equalize] + tone + color + [passthrough]

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
