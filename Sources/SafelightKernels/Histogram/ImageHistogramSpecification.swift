public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Gives a picture the distribution of another; Metal Performance Shaders' `MPSImageHistogramSpecification`.
///
/// Two steps, which may share a command buffer:
/// ``encodeTransform(to:source:sourceHistogram:sourceHistogramOffset:desiredHistogram:desiredHistogramOffset:)`` makes
/// a look-up table from the picture's histogram and the desired one, ``encode(to:source:destination:form:)`` applies
/// it. Apple does not publish its rule; this is the nearest of the normalized sums. With `S(i)` and `D(j)` the pixels
/// up to an entry and `N` and `M` all of them,
///
///     table(i) = value(j),   j of the desired histogram's entries that count, |D(j) / M − S(i) / N| least, of two the lower
///     value(j) = low + nearest(j · (high − low) / (entries − 1))
///
/// where `value(j) = j` for histograms with an entry for every value. Fractions are compared crosswise and exactly, for all
/// `N` and `M` below 2³². Only values that the desired histogram counts come out. A plane stays as it is where either
/// histogram is empty, and so does every channel without a histogram: alpha, unless the info asks for it.
///
/// With ``HistogramInfo/Channels/luma`` luma is matched and the chroma kept, as in ``ImageHistogramEqualization``. The table
/// stays until the next transform. Command buffers that use one instance must be committed in the order in which they were
/// recorded.
public final class ImageHistogramSpecification: Sendable {
  /// What both histograms counted.
  public let info: HistogramInfo

  private let lookUp: HistogramLookUp
  private let sums: Buffer

  /// Makes the kernel for histograms of `info`.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) {
    trap(
      unless: info.channels != .histeqLuma,
      "no distribution is matched by the luma of ffmpeg's histeq; count the channels luma"
    )
    self.info = info
    lookUp = HistogramLookUp(info, name: "specification")
    sums = Buffer(length: 2 * 4 * info.entries * 4, label: "sums of a specification")
  }

  /// Records the making of the table; `source` only tells the format, which both histograms have. Offsets are multiples of 32.
  public func encodeTransform(
    to buffer: CommandBuffer, source: Texture, sourceHistogram: Buffer, sourceHistogramOffset: Int = 0,
    desiredHistogram: Buffer, desiredHistogramOffset: Int = 0
  ) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(sourceHistogram, offset: sourceHistogramOffset, size: size, of: "specification's source")
    checkHistogram(
      desiredHistogram, offset: desiredHistogramOffset, size: size, of: "specification's desired histogram")
    let planes = info.planes(for: format)
    let table = lookUp.table(for: format)
    let bins = HistogramBins(info, format)
    let variant = Variant(bins: bins, planes: planes, sampleBits: format.bytesPerSample * 8)
    let encoder = buffer.makeComputeCommandEncoder(label: "specification transform")
    encoder.setComputePipelineState(Self.summing[Counted(entries: info.entries, planes: planes)])
    encoder.setBuffer(sourceHistogram, index: 0)
    encoder.setBuffer(desiredHistogram, index: 1)
    encoder.setBuffer(sums, index: 2)
    encoder.setBytes(
      SIMD4<UInt32>(UInt32(sourceHistogramOffset / 4), UInt32(desiredHistogramOffset / 4), 0, 0), index: 3)
    encoder.dispatchThreadgroups(Size(planes, 2), threadsPerThreadgroup: Size(64, 1))
    encoder.setComputePipelineState(Self.transforms[variant])
    encoder.setBuffer(sums, index: 0)
    encoder.setTexture(table, index: 1)
    encoder.setBytes(bins.range, index: 3)
    encoder.dispatchThreads(Size(info.entries, 1), threadsPerThreadgroup: Size(64, 1))
    encoder.endEncoding()
    lookUp.noteTransform(for: format)
  }

  /// Records the look-up. Both textures need the same size, and the format that the transform was made for.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    lookUp.encode(to: buffer, source: source, destination: destination, form: form)
  }

  // MARK: Functions

  private struct Counted: Hashable, Sendable {
    var entries: Int
    var planes: Int
  }

  private static let summing = PipelineLibrary<Counted, ComputePipelineState> { counted in
    ComputePipelineState(
      ShaderFunction(
        name: "specification_sums",
        assembly: ShaderAssembly(
          [.specificationSums],
          constants: [
            ShaderAssembly.Constant("ENTRIES", counted.entries), ShaderAssembly.Constant("PLANES", counted.planes),
          ]),
        arguments: [.readBuffer(0), .readBuffer(1), .storageBuffer(2), .bytes(3)],
        twin: sumsTwin(entries: counted.entries, planes: counted.planes)))
  }

  private struct Variant: Hashable, Sendable {
    var bins: HistogramBins
    var planes: Int
    var sampleBits: Int
  }

  private static let transforms = PipelineLibrary<Variant, ComputePipelineState> { variant in
    ComputePipelineState(
      ShaderFunction(
        name: "specification_transform",
        assembly: ShaderAssembly(
          [.specificationTransform],
          constants: variant.bins.constants + [
            ShaderAssembly.Constant("PLANES", variant.planes),
            ShaderAssembly.Constant("SAMPLE_BITS", variant.sampleBits),
          ]),
        arguments: [.readBuffer(0), .storageTexture(1)] + variant.bins.arguments,
        twin: transformTwin(bins: variant.bins, planes: variant.planes)))
  }
}
