public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// Counts how often each sample value occurs; Metal Performance Shaders' `MPSImageHistogram`.
///
/// The result is planar, all of red, then green, blue and perhaps alpha, each ``HistogramInfo/entries`` counts of 32
/// bits. A value `v` from 0 to the format's maximum belongs to entry
///
///     clamp((v − low) · entries / (high − low), 0, entries − 1)
///
/// with `low` and `high` the range of the info rounded to sample values: vImage's documented rule.
public struct ImageHistogram: Sendable {
  /// What is counted.
  public let info: HistogramInfo
  /// The part of the source to count, cut to the source (`clipRectSource`).
  public var clipRectSource = Region.noClip
  /// Whether counts start from zero; else they are added to what the buffer holds (`zeroHistogram`).
  public var zeroHistogram = true
  /// How counts are gathered on a GPU.
  public var form = HistogramForm.automatic

  /// Makes the kernel.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) { self.info = info }

  /// Records the count of `source` into `histogram` from byte `offset` on, a multiple of 32.
  public func encode(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    let size = info.histogramSize(forSourceFormat: source.pixelFormat)
    checkHistogram(histogram, offset: offset, size: size, of: "histogram")
    let planes = info.planes(for: source.pixelFormat)
    if zeroHistogram {
      let blit = buffer.makeBlitCommandEncoder(label: "zero histogram")
      blit.fill(histogram, range: offset..<offset + size, value: 0)
      blit.endEncoding()
    }
    let area = clipRectSource.intersection(source.bounds)
    guard !area.size.isEmpty else { return }
    let form = form.resolved(planes: planes, entries: info.entries, device: buffer.device)
    let bins = HistogramBins(info, source.pixelFormat)
    let grid = Grid(form, area.size)
    let encoder = buffer.makeComputeCommandEncoder(label: "histogram")
    encoder.setComputePipelineState(
      Self.library[
        Variant(
          form: form, planes: planes, countsLuma: info.countsLuma(of: source.pixelFormat), bins: bins,
          format: source.pixelFormat)])
    encoder.setTexture(source, index: 0)
    encoder.setBuffer(histogram, index: 1)
    encoder.setBytes(
      (
        SIMD4<Int32>(Int32(area.x), Int32(area.y), Int32(area.size.width), Int32(area.size.height)),
        SIMD4<UInt32>(UInt32(offset / 4), UInt32(grid.rows), 0, 0)
      ), index: 2)
    encoder.setBytes(bins.range, index: 3)
    encoder.dispatchThreadgroups(grid.threadgroups, threadsPerThreadgroup: grid.threadsPerThreadgroup)
    encoder.endEncoding()
  }

  /// How a form lays its threadgroups over an area.
  private struct Grid {
    let threadsPerThreadgroup: Size
    let threadgroups: Size
    /// Rows that a threadgroup takes.
    let rows: Int

    init(_ form: HistogramForm, _ area: Size) {
      switch form {
      case .private:
        threadsPerThreadgroup = Size(8, 1)
        // Few, long threadgroups: each adds all of its counts to the result. Counts of a lane have 16 bits.
        //
        // Driver workaround "loop limit": llvmpipe (Mesa 22.3) leaves every loop of an invocation after 65535 rounds in all,
        // without an error, and counts are lost: rounds of columns and rows, and at most 1024 over the counts. Shown by
        // ImageHistogramDeviceTests.moreRoundsThanADriverLoops; can go when no llvmpipe has the limit.
        let columns = (area.width + 7) / 8
        rows = max(1, min(64000 / (columns + 1), (area.height + 7) / 8))
        threadgroups = Size(1, (area.height + rows - 1) / rows)
      case .automatic, .shared, .global:
        threadsPerThreadgroup = Size(64, 1)
        rows = 64
        threadgroups = area.dividedCovering(Size(64, rows))
      }
    }
  }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var form: HistogramForm
    var planes: Int
    var countsLuma: Bool
    var bins: HistogramBins
    var format: PixelFormat
  }

  private static let library = PipelineLibrary<Variant, ComputePipelineState> { variant in
    let source: ShaderSource =
      switch variant.form {
      case .private: .histogramPrivate
      case .shared: .histogramShared
      case .automatic, .global: .histogramGlobal
      }
    return ComputePipelineState(
      ShaderFunction(
        name: "histogram_\(variant.form.rawValue)",
        assembly: ShaderAssembly(
          [.pixels, source],
          constants: variant.bins.constants + [
            ShaderAssembly.Constant("SAMPLE_BITS", variant.format.bytesPerSample * 8),
            ShaderAssembly.Constant("PLANES", variant.planes),
            ShaderAssembly.Constant("COUNTS_LUMA", variant.countsLuma),
          ]),
        arguments: [.sampledTexture(0), .storageBuffer(1), .bytes(2)] + variant.bins.arguments,
        twin: twin(planes: variant.planes, countsLuma: variant.countsLuma, bins: variant.bins, format: variant.format)))
  }
}

extension HistogramInfo {
  /// True where luma has to be computed; that of a grey picture is its only channel.
  func countsLuma(of format: PixelFormat) -> Bool { channels == .luma && format.samplesPerPixel == 4 }
}

/// Traps unless `buffer` holds a histogram of `size` bytes at `offset`.
func checkHistogram(_ buffer: Buffer, offset: Int, size: Int, of kernel: String) {
  precondition(offset >= 0 && offset % 32 == 0, "\(kernel): offset \(offset) is not a multiple of 32 bytes")
  precondition(
    offset + size <= buffer.length,
    """
    \(kernel): buffer '\(buffer.label)' has \(buffer.length) bytes, but \(size) are needed from offset \(offset); make it with \
    histogramSize(forSourceFormat:)
    """)
}
