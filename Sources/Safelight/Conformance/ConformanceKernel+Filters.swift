internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue.Entry {
  /// The filter by each of its examples, in each of its forms.
  var conformanceKernels: [ConformanceKernel] {
    get throws {
      try examples.flatMap { example in
        try FilterSyntax.parse(example, catalogue: [description]).flatMap { try conformanceKernels($0, named: example) }
      }
    }
  }

  /// The filter as `call` has it, in each of its forms.
  func conformanceKernels(_ call: FilterCall, named settings: String? = nil) throws -> [ConformanceKernel] {
    // What a filter refuses it refuses on every device.
    let filter = try make(call, Device.open(.cpu), .automatic)
    @Sendable func takes(_ format: PixelFormat, _ size: Size) -> Bool {
      (try? filter.output(of: format.descriptor(size))) != nil
    }
    let taken = formats.filter { takes($0, Size(64, 64)) }
    return forms.map { form in
      ConformanceKernel(
        name: description.name, settings: "\(settings ?? call.description), \(form)",
        formats: form == .compute ? taken.filter(\.isStorable) : taken, isTiled: true,
        isDefined: { size in taken.contains { takes($0, size) } }
      ) { [make] device in
        let filter = try make(call, device, form)
        return { scene in
          _ = try scene.encode(filter, of: scene.source)
        }
      }
    }
  }
}
