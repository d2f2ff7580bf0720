import SafelightImage

/// Assembles frames from the stream of raw video that ffmpeg sends.
struct VideoDemuxer {
  let source: String
  /// The number of frames returned.
  private(set) var count = 0
  private let format: VideoFormat
  private let memory: PlanePool
  private let byteCounts: [Int]
  private var reader = NUTReader()
  /// The time of the frame that is arriving, and its planes so far.
  private var time: MediaTime?
  private var planes: [[UInt8]] = []

  init(source: String, format: VideoFormat, memory: PlanePool) {
    self.source = source
    self.format = format
    self.memory = memory
    self.byteCounts = format.layout.planeByteCounts(of: format.size)
  }

  mutating func append(_ bytes: some Collection<UInt8>) { reader.append(bytes) }

  /// Returns the next complete frame; nil if more bytes are needed.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` if the stream is damaged or has another format.
  mutating func next() throws(SafelightError) -> VideoFrame? {
    if time == nil {
      guard let header = try nextHeader() else { return nil }
      time = header.presentationTime
      planes = memory.take()
    }
    while reader.missingData > 0 {
      let data = reader.takeData()
      if data.isEmpty { return nil }
      fill(data)
    }
    return finished()
  }

  /// The place where the stream stopped if it was not a proper end: "in the middle of frame 12: 100 of 2560 bytes
  /// came".
  var gap: String? {
    if time != nil {
      let needed = byteCounts.reduce(0, +)
      return "in the middle of frame \(count + 1): \(needed - reader.missingData) of \(needed) bytes came"
    }
    if reader.stream == nil { return "before its first frame" }
    return reader.mayEnd ? nil : "in the middle of the header of frame \(count + 1)"
  }

  private mutating func nextHeader() throws(SafelightError) -> NUTReader.FrameHeader? {
    do throws(NUTFault) {
      guard let header = try reader.nextFrame() else { return nil }
      let needed = byteCounts.reduce(0, +)
      guard reader.stream?.size == format.size else {
        let size = reader.stream.map { "\($0.size)" } ?? "unknown"
        throw .damaged("its frames are \(size) instead of \(format.size)")
      }
      guard header.byteCount == needed else {
        throw .damaged(
          "frame \(count + 1) has \(header.byteCount) bytes; \(format.size) \(format.layout) needs \(needed)")
      }
      return header
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

  private mutating func finished() -> VideoFrame? {
    guard let time else { return nil }
    defer {
      self.time = nil
      planes = []
      count += 1
    }
    let layout = format.layout
    return VideoFrame(
      index: count, size: format.size, layout: layout,
      planes: planes.indices.map {
        PixelPlane(size: layout.planeSize($0, of: format.size), pixelFormat: layout.planeFormats[$0], bytes: planes[$0])
      },
      // The clock of the pipe is finer than that of the file.
      presentationTime: time.rescaled(to: format.timeBase.timescale) ?? time, duration: format.frameDuration,
      orientation: format.orientation, color: format.color
    ).leased(memory.lease(planes))
  }
}

/// Makes ffmpeg end at the first frame whose size differs from the track's, which its filters would silently scale.
struct SizeGuard {
  let size: Size

  /// A filter that passes frames of this size unchanged and cannot be configured for others, so that ffmpeg reports
  /// their size.
  var filter: String {
    let sign = "if(eq(iw\\,\(size.width))*eq(ih\\,\(size.height))\\,1\\,-1)"
    return "crop=w=iw*\(sign):h=ih*\(sign):exact=1"
  }

  /// Returns the size of the frame at which ffmpeg ended, from its messages; nil if it ended for another reason.
  func refusedSize(in lines: [String]) -> Size? {
    for line in lines {
      // libavfilter/vf_crop.c, config_input.
      guard let match = line.firstMatch(of: /non positive size for width '-(\d+)' or height '-(\d+)'/),
        let width = Int(match.1), let height = Int(match.2)
      else { continue }
      return Size(width, height)
    }
    return nil
  }
}
