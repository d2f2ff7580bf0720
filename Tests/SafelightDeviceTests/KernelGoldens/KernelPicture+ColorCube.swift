import Safelight
import Testing

extension KernelPicture {
  /// A colourful picture by a cube of 3, and below it by one of a narrower domain; the golden of the filter `lut` is by a table of one dimension.
  static let cubes = [KernelForm.render, .compute].map { form in
    KernelPicture("color-cube", way: "\(form)") { device in
      let domains = [(0.0, 1.0), (0.25, 0.75)]
      return try .stacked(domains.map { try looked(device, domain: $0, form) })
    }
  }

  private static func looked(_ device: Device, domain: (Double, Double), _ form: KernelForm) throws -> Image {
    let run = KernelRun(device)
    let steps = [0.0, 0.5, 1.0]
    // A negative of red, green among all three, blue darkened.
    let samples = steps.flatMap { blue in
      steps.flatMap { green in
        steps.flatMap { red in [1 - red, (red + 2 * green + blue) / 4, blue * blue] }
      }
    }
    let cube = ColorCube(
      size: 3, samples: samples, domainMin: SIMD3(repeating: domain.0), domainMax: SIMD3(repeating: domain.1))
    let target = try device.makeTexture(colorful.size, colorful.pixelFormat)
    ImageColorCube(device: device, cube: cube)
      .encode(to: run.buffer, source: try run.texture(colorful), destination: target, form: form)
    let readback = run.blit { $0.read(target) }
    try run.run()
    return try colorful.replacing(bytes: readback.contents())
  }
}
