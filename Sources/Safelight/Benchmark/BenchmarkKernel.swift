internal import SafelightGPU
internal import SafelightImage

/// One way of calling a kernel, or a chain of filters, whose speed is of interest.
public struct BenchmarkKernel: Sendable {
  /// How it is called: `saturation=2`, `histogram of 256 entries, shared`.
  public let settings: String
  /// Why the device cannot take a picture through it; nil where it can.
  let refusal: @Sendable (Image, Device) throws -> String?
  /// Makes the kernel; what is returned records it for a scene.
  let make: @Sendable (Device) throws -> (any KernelScene) throws -> Void

  /// Every kernel: the filters of the catalogue by their examples, in the form that suits the device, and what no example reaches, in
  /// each form, as conformance has it.
  public static var all: [BenchmarkKernel] {
    FilterCatalogue.entries.flatMap(\.examples).map(BenchmarkKernel.init(chain:))
      + ConformanceKernel.withoutExample.map(BenchmarkKernel.init)
  }

  /// The kernels that `selection` means: all of a name, or the call itself, such as `saturation=2`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do.
  public static func kernels(_ selection: String) throws -> [BenchmarkKernel] {
    let examples = FilterCatalogue.entries.first { $0.description.name == selection }?.examples ?? []
    if !examples.isEmpty { return examples.map(BenchmarkKernel.init(chain:)) }
    let named = ConformanceKernel.withoutExample.filter { $0.name == selection }
    if !named.isEmpty { return named.map(BenchmarkKernel.init) }
    // What begins with no filter's name may be meant for another kernel.
    if !FilterCatalogue.descriptions.contains(where: { selection.hasPrefix($0.name) }) {
      return try ConformanceKernel.kernels(selection).map(BenchmarkKernel.init)
    }
    _ = try FilterSyntax.parse(selection, catalogue: FilterCatalogue.descriptions)
    return [BenchmarkKernel(chain: selection)]
  }

  /// A chain of filters, in the form that suits the device.
  init(chain: String) {
    settings = chain
    refusal = { image, device in
      let chain = try FilterChain(parsing: chain, device: device)
      do throws(SafelightError) {
        _ = try chain.plan(image.descriptor)
        return nil
      } catch {
        return error.why
      }
    }
    make = { device in
      let filters = try FilterChain(parsing: chain, device: device).filters
      return { scene in
        var current = scene.source
        for filter in filters {
          current = try scene.encode(filter, of: current)
        }
      }
    }
  }

  init(_ kernel: ConformanceKernel) {
    settings = kernel.settings
    refusal = { image, device in
      if !kernel.formats.contains(image.pixelFormat) { return "it takes no \(image.pixelFormat.rawValue)" }
      let edge = device.capabilities.maximumTextureSize
      let isLarger = max(image.size.width, image.size.height) > edge
      return isLarger && !kernel.isTiled ? "it takes pictures of one texture, \(edge)×\(edge) at most" : nil
    }
    make = kernel.make
  }
}
