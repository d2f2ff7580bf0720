internal import SafelightGPU
internal import SafelightImage
package import SafelightKernels

/// Every filter there is: what it says of itself, and how it is made.
public enum FilterCatalogue {
  /// The descriptions, in the order in which they are listed.
  public static let descriptions: [FilterDescription] = entries.map(\.description)

  package struct Entry: Sendable {
    package let description: FilterDescription
    /// Calls that together reach every branch of the filter's functions: what conformance runs.
    package let examples: [String]
    /// Mistakes in its shaders that conformance must find.
    package var defects: [KernelDefect] = []
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

  package static let entries: [Entry] = [equalize, clahe, match] + tone + color + [Entry(ImagePassthrough.self)]
}

extension FilterCatalogue.Entry {
  /// A point kernel as a filter.
  init<Kernel: PointKernel>(_ kernel: Kernel.Type) {
    let card = Kernel.card
    self.init(
      description: FilterDescription(
        name: card.name, summary: card.summary, discussion: card.discussion,
        parameters: card.parameters.map(\.parameter)),
      examples: card.examples, defects: card.defects, formats: Kernel.formats
    ) { call, _, form in
      var kernel = Kernel()
      for (binding, argument) in zip(card.parameters, call.arguments) { binding.set(&kernel, argument.value) }
      return PointFilter(meaning: { [kernel] (color) throws(SafelightError) in try kernel.output(of: color) }) {
        [kernel] in kernel.encode(to: $0, source: $1, destination: $2, form: form)
      }
    }
  }
}
