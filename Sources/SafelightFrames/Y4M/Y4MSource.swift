public import SafelightImage

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
