import SafelightImage
import Synchronization

/// The coding of a film as a stream of bytes; the planes of each frame are packed and follow one another.
protocol StreamCoding: Sendable {
  /// The format of the frames, all shown equally long.
  var format: VideoFormat { get }
  /// The layout of the samples of every plane.
  var samples: StoredSamples { get }
  /// The bytes before the first frame.
  var beginning: [UInt8] { get }
  /// The bytes before each frame.
  var frameBeginning: [UInt8] { get }

  /// Reads the bytes before frame `index`; returns false at the end of the stream.
  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool
}

extension StreamCoding {
  static func whole(_ count: Int) -> String {
    count == 1 ? "the frame before it is complete" : "the \(count) frames before it are complete"
  }

  /// Returns the next frame of `input`, which has `index`; nil at the end, and once the input was stopped.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the frame is cut short or begins with other bytes than it should.
  func readFrame(_ index: Int, from input: ByteInput, _ memory: PlanePool) throws(SafelightError) -> VideoFrame? {
    do throws(SafelightError) {
      return try readWholeFrame(index, from: input, memory)
    } catch {
      // Whoever stops the input cuts the frame short.
      guard input.isStopped.load(ordering: .relaxed) else { throw error }
      return nil
    }
  }

  private func readWholeFrame(
    _ index: Int, from input: ByteInput, _ memory: PlanePool
  ) throws(SafelightError) -> VideoFrame? {
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
      try ensure(
        came == stored[plane], .input, input.name,
        why: "frame \(index + 1) is cut short: \(before + came) of its \(stored.reduce(0, +)) bytes arrived",
        remedy: "check why the program that writes it ended; \(Self.whole(index))")
    }
    let time = try required(
      format.frameDuration?.multiplied(by: Int64(index)), .limit, input.name,
      why: "the time of frame \(index + 1) is out of range", remedy: "cut it into parts")
    return format.frame(index, planes, at: time).leased(memory.lease(planes))
  }
}

/// Writes frames in a stream coding, on a thread of its own.
final class StreamWriter: Sendable {
  let name: String
  let coding: any StreamCoding
  private let thread = BlockingThread()
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var output: ByteOutput?
    var hasBegun = false
  }

  init(_ location: VideoLocation, _ coding: any StreamCoding) throws(SafelightError) {
    name = location.name
    self.coding = coding
    state = Mutex(State(output: try ByteOutput(location)))
  }

  func write(_ frame: VideoFrame) async throws(SafelightError) {
    try await run { [coding] (output) throws(SafelightError) in
      try output?.write(coding.frameBeginning)
      for plane in frame.planes { try output?.write(coding.samples.stored(plane.packedBytes)) }
    }
  }

  func finish() async throws(SafelightError) {
    try await run { (output) throws(SafelightError) in
      var output = output.take()
      try output?.finish()
    }
  }

  func abandon() { state.withLock { $0.output = nil } }

  /// Runs `work` on the thread, at first after writing the beginning.
  private func run(
    _ work: @escaping @Sendable (inout ByteOutput?) throws(SafelightError) -> Void
  ) async throws(SafelightError) {
    try await thread.run { [self] () throws(SafelightError) in
      try state.withLock { (state: inout State) throws(SafelightError) in
        if !state.hasBegun {
          state.hasBegun = true
          try state.output?.write(coding.beginning)
        }
        try work(&state.output)
      }
    }
  }
}
