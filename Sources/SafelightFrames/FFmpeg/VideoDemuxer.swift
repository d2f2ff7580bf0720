import SafelightImage

/// Assembles frames from the stream of raw video that ffmpeg sends.
struct VideoDemuxer {
  let source: String
  /// The number of frames returned.
  private(set) var count = 0
  private let format: VideoFormat
  private let samples: StoredSamples
  private let memory: PlanePool
  /// The time that the stream gives to 0 s of the film.
  private let origin: MediaTime
  private let byteCounts: [Int]
  private var byteCount: Int { byteCounts.reduce(0, +) }
  private var reader = NUTReader()
  /// The time of the frame that is arriving, and its planes so far.
  private var time: MediaTime?
  private var planes: [[UInt8]] = []

  /// Makes a demuxer of frames of `format`, which are sent as `samples`, `shift` seconds too late.
  init(source: String, format: VideoFormat, samples: StoredSamples, shift: Int = 0, memory: PlanePool) {
    self.source = source
    self.format = format
    self.samples = samples
    self.memory = memory
    self.origin = MediaTime(value: Int64(shift), timescale: 1)
    self.byteCounts = format.layout.planeByteCounts(of: format.size).map(samples.storedByteCount)
  }

  mutating func append(_ bytes: some Collection<UInt8>) { reader.append(bytes) }

  /// Returns the next complete frame; nil if more bytes are needed.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` if the stream is damaged or has another format.
  mutating func next() throws(SafelightError) -> VideoFrame? {
    if time == nil {
      time = try nextTime()
      if time == nil { return nil }
      planes = memory.take()
    }
    while reader.missingData > 0 {
      let data = reader.takeData()
      if data.isEmpty { return nil }
      fill(data)
    }
    guard let time = time.take() else { return nil }
    defer { (planes, count) = ([], count + 1) }
    if samples != .same { planes = planes.map(samples.samples) }
    // The clock of the pipe is finer than that of the file.
    let shown = origin.distance(to: time) ?? time
    let ticks = shown.rescaled(to: format.timeBase.timescale) ?? shown
    return format.frame(count, planes, at: ticks).leased(memory.lease(planes))
  }

  /// The place where the stream stopped if it was not a proper end: "in the middle of frame 12: 100 of 2560 bytes
  /// came".
  var gap: String? {
    if time != nil {
      return "in the middle of frame \(count + 1): \(byteCount - reader.missingData) of \(byteCount) bytes came"
    }
    if reader.stream == nil { return "before its first frame" }
    return reader.mayEnd ? nil : "in the middle of the header of frame \(count + 1)"
  }

  private mutating func nextTime() throws(SafelightError) -> MediaTime? {
    do throws(NUTFault) {
      guard let time = try reader.nextFrame() else { return nil }
      guard reader.stream?.size == format.size else {
        let size = reader.stream.map { "\($0.size)" } ?? "unknown"
        throw .damaged("its frames are \(size) instead of \(format.size)")
      }
      guard reader.missingData == byteCount else {
        throw .damaged(
          "frame \(count + 1) has \(reader.missingData) bytes; \(format.size) \(format.layout) needs \(byteCount)")
      }
      return time
    } catch {
      let why = if case .damaged(let text) = error { text } else { "it ends in a header" }
      throw SafelightError(.transfer, source, why: "the stream from ffmpeg is damaged: \(why)", remedy: nil)
    }
  }

  private mutating func fill(_ data: ArraySlice<UInt8>) {
    var data = data
    for index in planes.indices where !data.isEmpty {
      let part = data.prefix(byteCounts[index] - planes[index].count)
      planes[index] += part
      data = data.dropFirst(part.count)
    }
  }
}
