public import SafelightImage

/// A Y4M stream: its header, and `FRAME` before each frame.
struct Y4MCoding: StreamCoding {
  let header: Y4MHeader
  let format: VideoFormat

  /// Makes a coding for reading. `frameDuration` replaces a rate that the header leaves open.
  init(_ header: Y4MHeader, frameDuration: MediaTime?, name: String) throws(SafelightError) {
    let duration = try required(
      header.frameDuration ?? frameDuration, .input, name,
      why: "its header does not say how many frames it shows per second (F)",
      remedy: "state the frame rate, such as 25", setting: .frameRate)
    self.header = header
    let layout = header.colorSpace.layout
    self.format = VideoFormat(
      size: header.size, layout: layout, timeBase: MediaTime(value: 1, timescale: duration.timescale),
      frameDuration: duration,
      color: ColorDescription(
        matrix: layout.isYCbCr ? .unspecified : .identity, range: header.range, siting: header.colorSpace.siting),
      pixelAspect: header.pixelAspect)
  }

  init(_ format: VideoFormat, grayBits: Int?, name: String) throws(SafelightError) {
    header = try Y4MHeader(format, grayBits: grayBits, name: name)
    self.format = format
  }

  var samples: StoredSamples {
    let (space, isLimited) = (header.colorSpace, header.range == .limited)
    return space.layout == .gray16 && space.bits < 16 ? .gray(bits: space.bits, isLimited: isLimited) : .same
  }

  var beginning: [UInt8] { Array(header.text.utf8) }
  var frameBeginning: [UInt8] { Array("FRAME\n".utf8) }

  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool {
    guard let (line, isWhole) = try input.line(atMost: Y4MHeader.limit) else { return false }
    func refused(_ why: String) -> SafelightError {
      SafelightError(.input, input.name, why: why, remedy: "write it again; \(Self.whole(index))")
    }
    let mark = Array("FRAME".utf8)
    let isMarked = line.starts(with: mark) && (line.count == mark.count || line[mark.count] == UInt8(ascii: " "))
    if !isWhole {
      throw refused(
        isMarked || mark.starts(with: line)
          ? "the line before frame \(index + 1) has no end: \(line.count) bytes arrived" : Self.notAFrame(index, line))
    }
    guard isMarked else { throw refused(Self.notAFrame(index, line)) }
    let fields = String(decoding: line.dropFirst(mark.count), as: UTF8.self).split(separator: " ")
    // A frame's own interlacing begins with 1 if it holds one moment (yuv4mpeg(5)).
    if let interlacing = fields.first(where: { $0.first == "I" })?.dropFirst(),
      header.isInterlaced != true, interlacing.first != "1",
      try Y4MHeader.isInterlaced(interlacing.lowercased()[...], name: "\(input.name), frame \(index + 1)") == true
    {
      throw SafelightError(
        .input, input.name,
        why: "frame \(index + 1) is interlaced (I\(interlacing)), but the header says that no picture is",
        remedy: "state it in the header (It, Ib or Im), or deinterlace: ffmpeg -i INPUT -vf bwdif -f yuv4mpegpipe -")
    }
    return true
  }

  private static func notAFrame(_ index: Int, _ line: [UInt8]) -> String {
    let begun = line.prefix(8).map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
    return "frame \(index + 1) begins with \"\(begun)\" instead of FRAME: "
      + "the frame before it is longer or shorter than the header says"
  }
}

/// A Y4M film, the plain format that programs exchange through pipes: `ffmpeg … -f yuv4mpegpipe -`.
///
/// Frames come as stored: three planes of 8, 10, 12 or 16 bits in 4:2:0, 4:2:2 or 4:4:4, with chroma rounded up in odd
/// sizes, or gray. Gray of 9 to 15 bits becomes 16: the full range repeats its upper bits below, the limited range is
/// shifted. Properties that a header leaves open stay unspecified; Y4M never names a matrix. Frame n is shown n frame
/// durations after the beginning. Alpha is rejected.
///
/// The next frame is read ahead. Damage is an error after the frames before it. A pipe can be iterated once.
public struct Y4MSource: FrameSource {
  /// The format that the header describes.
  public let format: VideoFormat
  /// The bits of a stored sample.
  public var sampleBits: Int { header.colorSpace.bits }
  /// True if the header says that pictures hold two moments in time.
  public var isInterlaced: Bool { header.isInterlaced == true }
  /// True if the header says that each picture is of one moment.
  package var isProgressive: Bool { header.isInterlaced == false }
  private let header: Y4MHeader
  private let stream: VideoStream

  /// Opens `location` and reads its header; waits for a pipe until the task is cancelled. `frameDuration` applies to
  /// streams that do not state their rate.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be opened, `input` if it is not Y4M or its header
  ///   contradicts itself, `limit` for pictures of more than `pixelLimit` columns × rows, `unsupported` for chroma
  ///   that frames cannot have.
  public init(
    _ location: VideoLocation, frameDuration: MediaTime? = nil, pixelLimit: Int = PNGLimits().pixels
  ) async throws(SafelightError) {
    let begun = location == .standardInput ? StandardInput.takeStream() : nil
    let input = if let begun { begun } else { try ByteInput(location) }
    let read: Result<Y4MHeader, SafelightError> = await withTaskCancellationHandler {
      do throws(SafelightError) {
        return .success(try await BlockingThread().run { () throws(SafelightError) in try Y4MHeader(reading: input) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      input.stop()
    }
    header = try read.get()
    let coding = try Y4MCoding(header, frameDuration: frameDuration, name: location.name)
    format = coding.format
    try header.size.check(within: pixelLimit, film: location.name)
    stream = VideoStream(input, at: location, coding)
  }

  /// Starts at the first frame.
  public func makeAsyncIterator() -> VideoFrames {
    stream.read { [header] (input) throws(SafelightError) in
      try ensure(
        Y4MHeader(reading: input) == header, .input, input.name, why: "its header has changed since it was opened",
        remedy: "open it again")
    }
  }
}

extension Y4MHeader {
  init(reading input: ByteInput) throws(SafelightError) {
    let (line, isWhole) = try input.line(atMost: Self.limit) ?? ([], false)
    // The line end belongs to some signatures.
    try Self.refuse(isWhole ? line + [UInt8(ascii: "\n")] : line, input.name)
    try ensure(
      isWhole, .input, input.name, why: "its header has no end: \(line.count) bytes arrived",
      remedy: "check why the program that writes it ended")
    try self.init(String(decoding: line, as: UTF8.self), name: input.name)
  }

  /// Throws a ``SafelightError`` of kind `input` if bytes that begin with `beginning` are not Y4M.
  static func refuse(_ beginning: [UInt8], _ name: String) throws(SafelightError) {
    try ensure(
      !beginning.isEmpty, .input, name, why: "it is empty",
      remedy: "check why the program that writes it ended: a Y4M film begins with \(magic)")
    guard !beginning.starts(with: magic.utf8) else { return }
    try ensure(
      !beginning.starts(with: PNGSignature.bytes.prefix(4)), .input, name,
      why: "it is a PNG, which can be read only from files and standard input",
      remedy: "pipe it to standard input, and name - as the input")
    throw SafelightError(
      .input, name, why: "it is not a Y4M film\(FileFormat(of: beginning).map { "; it holds \($0.name)" } ?? "")",
      remedy: "pass a PNG, or a film as Y4M: ffmpeg -i INPUT -f yuv4mpegpipe -")
  }
}

/// Writes Y4M as ffmpeg does, to a file or into a pipe.
///
/// Frames of three planes and gray ones are written unconverted. All are shown equally long, for the format's duration;
/// their own times are ignored. Y4M records the range and, for 8 bits in 4:2:0, the siting; matrix, transfer, primaries
/// and orientation are lost.
public struct Y4MWriter: VideoWriter {
  /// The name of the file or the pipe.
  public var name: String { writer.name }
  /// The format that every frame must have.
  public var format: VideoFormat { writer.coding.format }
  private let writer: StreamWriter

  /// Opens `location`. `grayBits` are the stored bits of gray samples, which have 16 in frames: 9, 10, 12, 14 or 16.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created, `unsupported` for layouts that Y4M does not
  ///   have and without a frame duration.
  public init(_ location: VideoLocation, format: VideoFormat, grayBits: Int? = nil) throws(SafelightError) {
    writer = try StreamWriter(location, Y4MCoding(format, grayBits: grayBits, name: location.name))
  }

  /// Appends `frame`; see ``VideoWriter/write(_:)``.
  public func write(_ frame: VideoFrame) async throws(SafelightError) { try await writer.write(own(frame)) }
  /// Ends the film; see ``VideoWriter/finish()``.
  public func finish() async throws(SafelightError) { try await writer.finish() }
  /// Abandons the film; see ``VideoWriter/abandon()``.
  public func abandon() async { writer.abandon() }
}
