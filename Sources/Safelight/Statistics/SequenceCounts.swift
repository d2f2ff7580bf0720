internal import SafelightFrames
package import SafelightGPU
package import SafelightImage
package import SafelightKernels

/// The histograms of a part of a sequence, in a file: the totals, 64 bits a count, then those of each frame, 32 bits.
/// If only visible pixels were counted, each frame's histogram is followed by the number of all of its pixels.
///
/// Counts are whole numbers, so the sum of all parts is the same however the sequence was divided.
package struct SequenceCounts: Sendable {
  package let path: String
  let header: SequenceHeader

  /// Opens the file at `path` and reads its first line.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be opened, `input` if it is no such file or its
  ///   length is wrong.
  package init(reading path: String) throws(SafelightError) {
    // Closed again: ten thousand parts are more than a process may have open.
    let file = try OpenedFile(path)
    self.path = path
    header = try SequenceHeader(of: file, .counts)
    let (count, overflow) = header.count.multipliedReportingOverflow(by: frameLength)
    guard !overflow, file.byteCount == SequenceHeader.length + totalsLength + count else {
      throw SequenceHeader.Kind.counts.refusal(
        of: file, "it has \(file.byteCount) bytes, too few or too many for \(header.count) frames")
    }
  }

  /// The places of the frames in the sequence.
  package var places: Range<Int> { header.first..<header.first + header.count }
  /// The number of counts of a frame.
  var countsPerFrame: Int { header.planes * header.entries }
  private var totalsLength: Int { countsPerFrame * 8 }
  private var frameLength: Int { (countsPerFrame + (header.pixels == .visible ? 1 : 0)) * 4 }

  /// Returns true if the file at `path` is whole and counts the frames at `places`.
  ///
  /// - Throws: ``SafelightError`` if it is missing, damaged, or of another kind.
  package static func check(_ path: String, _ places: Range<Int>) throws -> Bool {
    let counts = try SequenceCounts(reading: path)
    if counts.header.count > 0 { try counts.forEachFrame { _, _ in } }
    return counts.places == places || (places.isEmpty && counts.header.count == 0)
  }

  /// Reads the sum of all frames, plane after plane.
  func totals() throws(SafelightError) -> [UInt64] {
    let file = try OpenedFile(path)
    let bytes = try file.read(SequenceHeader.length..<SequenceHeader.length + totalsLength)
    guard CRC32.checksum(bytes[...]) == header.sums else { throw SequenceHeader.Kind.counts.damage(of: file) }
    let totals = [UInt64](littleEndian: bytes)
    for plane in 0..<header.planes {
      let sum = totals[plane * header.entries..<(plane + 1) * header.entries].reduce(UInt128(0)) { $0 + UInt128($1) }
      // No frame has more than 2³² pixels.
      guard sum >> 32 <= header.count else { throw SequenceHeader.Kind.counts.damage(of: file) }
    }
    return totals
  }

  /// Passes the histogram of each frame to `body`, in order, plane after plane, with the number of its pixels.
  ///
  /// - Throws: What `body` throws; ``SafelightError`` of kind `input` after the last frame if the file is damaged.
  func forEachFrame(_ body: (_ counts: [UInt32], _ area: UInt64) throws -> Void) throws {
    // The totals are not needed here, but if they are damaged, the frames are not trusted either.
    _ = try totals()
    let file = try OpenedFile(path)
    var checksum: UInt32 = 0
    let portion = max(1, (1 << 20) / max(1, frameLength))
    var offset = SequenceHeader.length + totalsLength
    for start in stride(from: 0, to: header.count, by: portion) {
      let count = min(portion, header.count - start)
      let bytes = try file.read(offset..<offset + count * frameLength)
      checksum = CRC32.checksum(bytes[...], continuing: checksum)
      let words = [UInt32](littleEndian: bytes)
      for frame in 0..<count {
        let first = frame * frameLength / 4
        let counts = Array(words[first..<first + countsPerFrame])
        let samples = counts.reduce(UInt64(0)) { $0 + UInt64($1) }
        let planes = UInt64(header.planes)
        let area = header.pixels == .visible ? UInt64(words[first + countsPerFrame]) : samples / planes
        guard samples <= planes << 32, samples <= planes * area else {
          throw SequenceHeader.Kind.counts.damage(of: file)
        }
        try body(counts, area)
      }
      offset += bytes.count
    }
    guard checksum == header.rest else { throw SequenceHeader.Kind.counts.damage(of: file) }
  }
}

extension HistogramReader {
  /// Makes a reader of complete histograms of pictures of `depth`.
  package convenience init(
    device: Device, channels: SequenceChannels, pixels: CountedPixels, depth: SampleDepth
  ) {
    self.init(device: device, info: .complete(depth, channels: channels.counted, pixels: pixels))
  }
}

/// Writes the histograms of a part of a sequence to a file that appears whole or not at all.
package struct SequenceCountsWriter: ~Copyable {
  /// Nil once it has its name.
  private var file: AtomicFile?
  private var header: SequenceHeader
  private var totals: [UInt64] = []
  private let isOpenEnded: Bool

  /// Begins the file at `path` for frames of a sequence of `frames`, nil if their number is not known yet; `names` tell
  /// it from other sequences. The first frame has the place `first`.
  package init(
    path: String, channels: SequenceChannels, pixels: CountedPixels, names: [String], frames: Int?, first: Int
  ) throws(SafelightError) {
    file = try AtomicFile(path: path)
    header = SequenceHeader(.counts, channels, sequence: names.sequenceHash, frames: frames ?? 0)
    header.pixels = pixels == .all ? nil : pixels
    header.first = first
    isOpenEnded = frames == nil
  }

  /// Appends the histogram of the next frame, a picture like `image`, which `name` names in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the frame has another depth or other channels than those before.
  package mutating func add(
    _ histogram: Histogram, of image: ImageDescriptor, name: String
  ) throws(SafelightError) {
    let depth = image.depth
    let planes = histogram.channels.map { histogram.counts($0) }
    if header.count == 0 {
      (header.depth, header.planes) = (depth.rawValue, planes.count)
      totals = [UInt64](repeating: 0, count: planes.count * header.entries)
      try file?.write([UInt8](repeating: 0, count: SequenceHeader.length + totals.count * 8))
    }
    try ensure(
      header.depth == depth.rawValue, .input, name,
      why: "it has \(depth.rawValue) bits a sample, and the frames before it have \(header.depth ?? 0)",
      remedy: "analyze such frames apart")
    try ensure(
      header.planes == planes.count, .input, name,
      why: planes.count == 1
        ? "it is gray, and the frames before it are of color" : "it is of color, and the frames before it are gray",
      remedy: "analyze such frames apart, or count their luma")
    let counts = planes.flatMap { $0 }
    try ensure(
      counts.allSatisfy { $0 <= UInt32.max }, .limit, name, why: "it has more than 2³² pixels of one value",
      remedy: "use smaller pictures")
    for (index, count) in counts.enumerated() { totals[index] += count }
    let area = header.pixels == nil ? [] : [UInt64(image.size.area)]
    let bytes = (counts + area).map { UInt32(truncatingIfNeeded: $0) }.littleEndianBytes
    try file?.write(bytes)
    header.rest = CRC32.checksum(bytes[...], continuing: header.rest)
    header.count += 1
  }

  /// Writes the totals and the first line, and gives the file its name.
  package mutating func finish() throws {
    guard let file = file.take() else { return }
    if isOpenEnded { header.frames = header.count }
    if header.count == 0 { try file.write([UInt8](repeating: 0, count: SequenceHeader.length)) }
    let sums = totals.littleEndianBytes
    header.sums = CRC32.checksum(sums[...])
    try file.overwrite(try header.bytes() + sums, at: 0)
    try file.commit()
  }
}
