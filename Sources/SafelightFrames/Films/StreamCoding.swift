import SafelightImage
import Synchronization

/// How the frames of a film follow one another in a stream of bytes; the planes of each are packed, one behind the other.
protocol StreamCoding: Sendable {
  /// The frames, all shown equally long.
  var format: VideoFormat { get }
  /// How the samples of every plane lie.
  var samples: StoredSamples { get }
  /// What stands before the first frame.
  var beginning: [UInt8] { get }
  /// What stands before each.
  var frameBeginning: [UInt8] { get }

  /// Reads what stands before frame `index`; false at the end of the stream.
  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool
}

extension StreamCoding {
  /// That so many frames came well, for a message.
  static func whole(_ count: Int) -> String {
    count == 1 ? "the frame before is whole" : "the \(count) frames before are whole"
  }

  /// The next frame of `input`, which is the one at `index`; nil at the end.
  ///
  /// Throws a ``SafelightError`` of kind `input` where the frame is cut short or begins otherwise than it should.
  func readFrame(_ index: Int, from input: ByteInput, _ memory: FrameMemory) throws(SafelightError) -> VideoFrame? {
    guard try readFrameBeginning(index, from: input) else { return nil }
    let counts = format.layout.planeByteCounts(of: format.size)
    let stored = counts.map(samples.storedByteCount)
    var planes = memory.take()
    for plane in planes.indices {
      let came: Int
      if samples == .same {
        came = try input.read(stored[plane], into: &planes[plane])
      } else {
        var bytes: [UInt8] = []
        came = try input.read(stored[plane], into: &bytes)
        if came == stored[plane] { planes[plane] = samples.samples(bytes) }
      }
      let before = stored[..<plane].reduce(0, +)
      if plane == 0 && came == 0 && frameBeginning.isEmpty { return nil }
      guard came == stored[plane] else {
        throw SafelightError(
          .input, input.name,
          why: "frame \(index + 1) is cut short: \(before + came) of its \(stored.reduce(0, +)) bytes came",
          remedy: "see why what writes it ended; \(Self.whole(index))")
      }
    }
    return try frame(index, planes, memory, name: input.name)
  }

  private func frame(
    _ index: Int, _ planes: [[UInt8]], _ memory: FrameMemory, name: String
  ) throws(SafelightError) -> VideoFrame {
    guard let duration = format.frameDuration, let time = duration.multiplied(by: Int64(index)) else {
      throw SafelightError(
        .limit, name, why: "the time of frame \(index + 1) is out of range", remedy: "cut it into parts")
    }
    let layout = format.layout
    return VideoFrame(
      index: index, size: format.size, layout: layout,
      planes: planes.enumerated().map { number, bytes in
        PixelPlane(
          size: layout.planeSize(number, of: format.size), pixelFormat: layout.planeFormats[number], bytes: bytes)
      },
      presentationTime: time, duration: duration, orientation: format.orientation, color: format.color,
      lease: memory.lease(planes))
  }

  /// The bytes of a plane of a frame, as they are stored.
  func stored(_ plane: PixelPlane) -> [UInt8] { samples.stored(plane.packedBytes) }
}

/// Writes frames as a coding has them, on a thread of its own.
final class StreamWriter: Sendable {
  let name: String
  let coding: any StreamCoding
  private let thread = BlockingThread("safelight.film")
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var output: ByteOutput?
    var hasBegun = false
  }

  init(_ place: FilmPlace, _ coding: any StreamCoding) throws(SafelightError) {
    name = place.name
    self.coding = coding
    state = Mutex(State(output: try ByteOutput(place)))
  }

  /// Appends a frame that is one of the film.
  func write(_ frame: VideoFrame) async throws(SafelightError) {
    try await thread.run { [self] () throws(SafelightError) in
      try state.withLock { (state: inout State) throws(SafelightError) in
        try begin(&state)
        try state.output?.write(coding.frameBeginning)
        for plane in frame.planes { try state.output?.write(coding.stored(plane)) }
      }
    }
  }

  func finish() async throws(SafelightError) {
    try await thread.run { [self] () throws(SafelightError) in
      try state.withLock { (state: inout State) throws(SafelightError) in
        try begin(&state)
        var output = state.output.take()
        try output?.finish()
      }
    }
  }

  func abandon() { state.withLock { $0.output = nil } }

  private func begin(_ state: inout State) throws(SafelightError) {
    guard !state.hasBegun else { return }
    state.hasBegun = true
    try state.output?.write(coding.beginning)
  }
}
