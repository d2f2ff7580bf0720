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
    let taken = formats.filter { format in
      (try? filter.output(of: format.samplePicture.descriptor)) != nil
    }
    return forms.map { form in
      ConformanceKernel(
        name: description.name, settings: "\(settings ?? call.description), \(form)",
        formats: form == .compute ? taken.filter(\.isStorable) : taken, isTiled: true
      ) { [make] device in
        let filter = try make(call, device, form)
        return { scene in
          _ = try scene.encode(filter, of: scene.source)
        }
      }
    }
  }
}

extension PixelFormat {
  /// The smallest picture of the same channels and depth, for filters to say whether they take it.
  fileprivate var samplePicture: Image {
    let depth: SampleDepth = bytesPerSample == 1 ? .bits8 : .bits16
    return SyntheticImage.flat.image(Size(1, 1), channels: samplesPerPixel == 1 ? .gray : .rgba, depth: depth)
  }
}
