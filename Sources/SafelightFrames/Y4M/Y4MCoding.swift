public import SafelightImage

/// A Y4M stream: its header, and `FRAME` before each frame.
struct Y4MCoding: StreamCoding {
  let header: Y4MHeader
  let format: VideoFormat

  /// `frameDuration` stands in for a rate that the header leaves open.
  init(_ header: Y4MHeader, frameDuration: MediaTime?, name: String) throws(SafelightError) {
    guard let duration = header.frameDuration ?? frameDuration else {
      throw SafelightError(
        .input, name, why: "its header does not say how many frames are shown a second (F)",
        remedy: "say it, such as 25", setting: .frameRate)
    }
    self.header = header
    let layout = header.colorSpace.layout
    self.format = VideoFormat(
      size: header.size, layout: layout, timeBase: MediaTime(value: 1, timescale: duration.timescale),
      frameDuration: duration,
      color: ColorDescription(
        matrix: layout.isYCbCr ? .unspecified : .identity, range: header.range, siting: header.colorSpace.siting),
      pixelAspect: header.pixelAspect)
  }

  /// A coding for writing frames of `format`.
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
      SafelightError(
        .input, input.name, why: why, remedy: "have it written again; \(Self.whole(index))")
    }
    let mark = Array("FRAME".utf8)
    let isMarked = line.starts(with: mark) && (line.count == mark.count || line[mark.count] == UInt8(ascii: " "))
    if !isWhole {
      throw refused(
        isMarked || mark.starts(with: line)
          ? "the line before frame \(index + 1) has no end: \(line.count) bytes came" : Self.notAFrame(index, line))
    }
    guard isMarked else { throw refused(Self.notAFrame(index, line)) }
    let fields = String(decoding: line.dropFirst(mark.count), as: UTF8.self).split(separator: " ")
    // A frame's own interlacing begins with 1 where it holds one moment (yuv4mpeg(5)).
    if let interlacing = fields.first(where: { $0.first == "I" })?.dropFirst(), interlacing.first != "1" {
      try Y4MHeader.checkInterlacing(interlacing.lowercased()[...], name: "\(input.name), frame \(index + 1)")
    }
    return true
  }

  private static func notAFrame(_ index: Int, _ line: [UInt8]) -> String {
    let begun = line.prefix(8).map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
    return
      "frame \(index + 1) begins with \"\(begun)\", and not with FRAME: the one before is longer or shorter than the header says"
  }
}

/// Y4M, the plain form of video that programs hand to one another through pipes: `ffmpeg … -f yuv4mpegpipe -`.
///
/// Frames come as stored, in planes of 8, 10, 12 or 16 bits in 4:2:0, 4:2:2 or 4:4:4, or as grey; sizes that are odd have chroma rounded up. Grey of 9
/// to 15 bits comes as 16: of the full range with its upper bits repeated below, of the limited range shifted. What a header leaves open stays
/// unspecified: Y4M never names a matrix. Frame n is shown n frame durations after the beginning. Interlaced streams are refused, and so is alpha.
///
/// A frame waits while the next is read. Damage is an error behind the frames before it. A pipe can be iterated once.
public struct Y4MSource: FrameSource {
  /// What the header says.
  public let format: VideoFormat
  /// Bits in a sample as stored.
  public var sampleBits: Int { header.colorSpace.bits }
  private let header: Y4MHeader
  private let stream: FrameStream

  /// Opens `place` and reads its header; waits for it where it is a pipe, until the task is cancelled. `frameDuration` is that of a stream that does not say its rate.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened, `input` where it is no Y4M or its header contradicts itself,
  /// `limit` for pictures of more than `pixelLimit` columns × rows, `unsupported` for chroma that frames cannot have and for interlaced pictures.
  public init(
    _ place: FilmPlace, frameDuration: MediaTime? = nil, pixelLimit: Int = PNGLimits().pixels
  ) async throws(SafelightError) {
    let (input, coding) = try await Self.open(place, frameDuration).get()
    header = coding.header
    format = coding.format
    try header.size.check(within: pixelLimit, film: place.name)
    stream = FrameStream(input, at: place, coding)
  }

  private static func open(
    _ place: FilmPlace, _ frameDuration: MediaTime?
  ) async -> Result<(ByteInput, Y4MCoding), SafelightError> {
    let inUse = InputInUse()
    return await withTaskCancellationHandler {
      do throws(SafelightError) {
        return .success(
          try await BlockingThread("safelight.film").run { () throws(SafelightError) in
            let begun = place == .standardInput ? StandardInput.takeStream() : nil
            let input = if let begun { begun } else { try ByteInput(place) }
            inUse.set(input)
            return (input, try Y4MCoding(Y4MHeader(reading: input), frameDuration: frameDuration, name: place.name))
          })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      inUse.stop()
    }
  }

  /// Starts at the first frame.
  public func makeAsyncIterator() -> StreamedFrames {
    stream.read { [header] (input) throws(SafelightError) in
      guard try Y4MHeader(reading: input) == header else {
        throw SafelightError(
          .input, input.name, why: "its header has changed since it was opened", remedy: "open it anew")
      }
    }
  }
}

extension Y4MHeader {
  /// Reads the first line of `input`.
  init(reading input: ByteInput) throws(SafelightError) {
    let (line, isWhole) = try input.line(atMost: Self.limit) ?? ([], false)
    // The end of the line belongs to some signatures.
    try Self.refuse(isWhole ? line + [UInt8(ascii: "\n")] : line, input.name)
    guard isWhole else {
      throw SafelightError(
        .input, input.name, why: "its header has no end: \(line.count) bytes came",
        remedy: "see why what writes it ended")
    }
    try self.init(String(decoding: line, as: UTF8.self), name: input.name)
  }

  /// Throws a ``SafelightError`` of kind `input` where what begins with `beginning` is no Y4M.
  static func refuse(_ beginning: [UInt8], _ name: String) throws(SafelightError) {
    guard !beginning.isEmpty else {
      throw SafelightError(
        .input, name, why: "it is empty", remedy: "see why what writes it ended: it should begin with \(magic)")
    }
    guard !beginning.starts(with: magic.utf8) else { return }
    if beginning.starts(with: PNGSignature.bytes.prefix(4)) {
      throw SafelightError(
        .input, name, why: "it is a PNG, which is read from files and standard input alone",
        remedy: "pipe it in and name -")
    }
    throw SafelightError(
      .input, name, why: "it is not a Y4M film\(FileFormat.name(of: beginning).map { "; it holds \($0)" } ?? "")",
      remedy: "pass a PNG, or a film as Y4M: ffmpeg -i INPUT -f yuv4mpegpipe -")
  }
}

/// Writes Y4M as ffmpeg does, to a file or into a pipe.
///
/// Frames of three planes and grey ones are written as they are. All are shown equally long: the format's duration counts, and the times of the
/// frames do not. Y4M says the range and, for 8 bits in 4:2:0, the siting; matrix, transfer, primaries and orientation are lost.
public struct Y4MWriter: FilmWriter {
  /// The file or the pipe.
  public var name: String { writer.name }
  /// What every frame must have.
  public var format: VideoFormat { writer.coding.format }
  private let writer: StreamWriter

  /// Opens `place`. `grayBits` are those of grey samples, of which frames have 16: 9, 10, 12, 14 or 16.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be created, `unsupported` for layouts that Y4M does not have and without a
  /// frame duration.
  public init(_ place: FilmPlace, format: VideoFormat, grayBits: Int? = nil) throws(SafelightError) {
    writer = try StreamWriter(place, Y4MCoding(format, grayBits: grayBits, name: place.name))
  }

  /// Appends `frame`; see ``FilmWriter/write(_:)``.
  public func write(_ frame: VideoFrame) async throws(SafelightError) { try await writer.write(own(frame)) }
  /// Ends the film; see ``FilmWriter/finish()``.
  public func finish() async throws(SafelightError) { try await writer.finish() }
  /// Gives the film up; see ``FilmWriter/abandon()``.
  public func abandon() async { writer.abandon() }
}
