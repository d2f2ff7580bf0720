import SafelightImage

/// Puts the bytes of a raw video stream together to frames.
struct FrameAssembly {
  let source: String
  /// Frames made.
  private(set) var count = 0
  private let format: VideoFormat
  private let memory: FrameMemory
  private let byteCounts: [Int]
  private var reader = NUTReader()
  /// The frame that is coming in: its time and its planes so far.
  private var time: MediaTime?
  private var planes: [[UInt8]] = []

  init(source: String, format: VideoFormat, memory: FrameMemory) {
    self.source = source
    self.format = format
    self.memory = memory
    self.byteCounts = format.layout.planeByteCounts(of: format.size)
  }

  mutating func append(_ bytes: some Collection<UInt8>) { reader.append(bytes) }

  /// The next frame that is whole; nil where more bytes are needed.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where the stream is damaged, or is not of the form agreed on.
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

  /// Where the stream stopped, if not at its proper end: "in the middle of frame 12: 100 of 2560 bytes came".
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
        throw .damaged("its frames are \(size); \(format.size) was agreed on")
      }
      guard header.byteCount == needed else {
        throw .damaged(
          "frame \(count + 1) has \(header.byteCount) bytes; \(format.size) \(format.layout) needs \(needed)")
      }
      return header
    } catch {
      let why = if case .damaged(let text) = error { text } else { "it ends in a header" }
      throw SafelightError(.transfer, source, why: "what ffmpeg sends is damaged: \(why)", remedy: nil)
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
      orientation: format.orientation, color: format.color, lease: memory.lease(planes))
  }
}

/// Makes ffmpeg end at the first frame that is not as large as its track announces, which its filters would scale in silence.
struct FrameSizeGuard {
  /// What the track announces.
  let size: Size

  /// A filter that lets frames of that size pass untouched and cannot be set up for others: then ffmpeg says how large they are.
  var filter: String {
    let sign = "if(eq(iw\\,\(size.width))*eq(ih\\,\(size.height))\\,1\\,-1)"
    return "crop=w=iw*\(sign):h=ih*\(sign):exact=1"
  }

  /// The size of the frame at which ffmpeg ended, by what it wrote; nil where it ended for another reason.
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
