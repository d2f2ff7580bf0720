import SafelightImage
import Synchronization

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
