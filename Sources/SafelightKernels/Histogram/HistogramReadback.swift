public import SafelightGPU
public import SafelightImage

/// A histogram on its way back from a device.
///
/// The readback is a command of the buffer that counts, so that frames behind it need not wait for it: commit, go on, and ask
/// when the counts are wanted.
public struct HistogramReadback: Sendable {
  private let buffer: CommandBuffer
  private let readback: Readback
  private let channels: [Histogram.Channel]

  init(buffer: CommandBuffer, readback: Readback, channels: [Histogram.Channel]) {
    self.buffer = buffer
    self.readback = readback
    self.channels = channels
  }

  /// The histogram once its command buffer, which must be committed, is completed; throws what the device says.
  public func histogram() async throws -> Histogram {
    try await buffer.completed()
    return try contents()
  }

  /// The histogram of a completed command buffer, without waiting.
  public func contents() throws -> Histogram {
    let bytes = try readback.contents()
    let words = unsafe bytes.withUnsafeBytes { unsafe $0.bindMemory(to: UInt32.self).map { UInt64($0) } }
    let entries = words.count / channels.count
    return Histogram(
      channels.enumerated().map { plane, channel in
        (channel, Array(words[plane * entries..<(plane + 1) * entries]))
      })
  }
}

extension HistogramInfo {
  /// What the planes of a histogram of `format` count.
  public func channels(for format: PixelFormat) -> [Histogram.Channel] {
    if format.samplesPerPixel == 1 { return [.gray] }
    if luma(of: format) != nil { return [.luma] }
    return Array([.red, .green, .blue, .alpha].prefix(planes(for: format)))
  }

  /// Records the reading of a histogram of pictures of `format` from byte `offset` of `histogram` on, behind the commands that count.
  public func encodeReadback(
    to buffer: CommandBuffer, histogram: Buffer, sourceFormat format: PixelFormat, offset: Int = 0
  ) -> HistogramReadback {
    let size = histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "histogram's readback")
    let blit = buffer.makeBlitCommandEncoder(label: "histogram readback")
    let readback = blit.read(histogram, range: offset..<offset + size)
    blit.endEncoding()
    return HistogramReadback(buffer: buffer, readback: readback, channels: channels(for: format))
  }
}
