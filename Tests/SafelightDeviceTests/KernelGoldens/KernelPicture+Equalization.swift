import Safelight
import Testing

extension KernelPicture {
  /// The film's frame by each rule, one below the other: normalised sum, OpenCV, Pillow, libvips, ffmpeg.
  static let equalizations = [KernelForm.render, .compute].map { form in
    KernelPicture("equalization-rules", way: "\(form)") { device in
      try .stacked(ImageHistogramEqualization.Rule.allCases.map { try equalized(device, $0, form) })
    }
  }

  private static func equalized(
    _ device: Device, _ rule: ImageHistogramEqualization.Rule, _ form: KernelForm
  ) throws -> Image {
    let run = KernelRun(device)
    let frame = ConformanceFrame.image
    let info = HistogramInfo(channels: rule == .ffmpeg ? .histeqLuma : .each)
    let equalization = ImageHistogramEqualization(device: device, info: info, rule: rule)
    let source = try run.texture(frame)
    let target = try device.makeTexture(frame.size, frame.pixelFormat)
    let counts = try device.makeBuffer(length: info.histogramSize(forSourceFormat: frame.pixelFormat))
    ImageHistogram(device: device, info: info).encode(to: run.buffer, source: source, histogram: counts)
    equalization.encodeTransform(to: run.buffer, source: source, histogram: counts)
    equalization.encode(to: run.buffer, source: source, destination: target, form: form)
    let readback = run.blit { $0.read(target) }
    try run.run()
    return try frame.replacing(bytes: readback.contents())
  }
}
