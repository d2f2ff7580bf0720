public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// Takes pictures through a filter chain on a device, one command buffer a picture.
///
/// Working textures are kept between pictures of the same size and format. The device runs command buffers in the
/// order in which pictures were given, so any number of them may be on the way.
public final class FrameProcessor: Sendable {
  /// The device.
  public let device: Device
  /// The stages.
  public let chain: FilterChain

  /// Replays every picture here too, and compares; nil where nothing is to be verified.
  private let twin: Device?
  /// The queue of its command buffers.
  package let queue: CommandQueue
  private let workingSet = Mutex<WorkingSet?>(nil)
  /// The last picture's replay on the twin; those of chains with a history follow one another.
  private let lastReplay = Mutex<Task<Void, Never>?>(nil)

  /// The picture and what is made of it, in turn.
  private struct WorkingSet: Sendable {
    var source: TiledTexture
    var stages: [TiledTexture]
  }

  /// Joins a device and a chain made for it. With `verifying`, each picture is also replayed on that device.
  public init(device: Device, chain: FilterChain, verifying twin: Device? = nil) {
    self.device = device
    self.chain = chain
    self.twin = twin
    queue = device.makeCommandQueue(label: "frames")
  }

  /// A picture on its way through the device.
  public struct Submission: Sendable {
    let buffer: CommandBuffer
    let readback: Readback
    let image: Image
    let color: ColorDescription
    /// What the twin brings back, where there is one.
    let replay: Task<ReplayResult, any Error>?

    /// Seconds that the device spent on it; 0 before it is finished.
    public var seconds: Double { buffer.seconds }

    /// Returns the finished picture; throws what the device says, or a `difference` where the twin disagrees.
    public func finished() async throws -> Image {
      try await buffer.completed()
      let bytes = try readback.contents()
      if let replay { try await verify(bytes, replay.value) }
      return image.replacing(bytes: bytes, color: color)
    }

    private func verify(_ bytes: [UInt8], _ replayed: ReplayResult) throws {
      guard let expected = replayed.contents(of: readback) else {
        throw SafelightError(.driver, buffer.label, why: "the twin brought nothing back", remedy: "report it")
      }
      let difference = ImageDifference(
        expected: image.replacing(bytes: expected), actual: image.replacing(bytes: bytes))
      if let difference { throw difference.error(name: buffer.label, device: buffer.device.name) }
    }
  }

  /// Records and commits the work on `image` without waiting for it; `label` names it in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` where a filter is not defined for such a picture, or for what its samples mean.
  public func submit(_ image: Image, label: String) throws -> Submission {
    do {
      return try record(image, color: check(image, label: label), label: label)
    } catch {
      // Its commands, which a film's later pictures count on, are lost.
      chain.reset()
      throw error
    }
  }

  /// What the samples of the result mean.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` where a filter is not defined for such a picture, or for what its samples mean.
  func check(_ image: Image, label: String) throws(SafelightError) -> ColorDescription {
    var color = image.color
    do throws(SafelightError) {
      for filter in chain.filters {
        try filter.check(image)
        color = try filter.output(of: color)
      }
    } catch {
      throw error.during(label)
    }
    return color
  }

  private func record(_ image: Image, color: ColorDescription, label: String) throws -> Submission {
    let buffer = queue.makeCommandBuffer(label: label)
    // Recording and committing under the lock keeps the order of the textures' uses that of the queue.
    return try workingSet.withLock { kept in
      var set =
        try reuse(kept, image)
        ?? WorkingSet(
          source: TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source"),
          stages: [])
      set.source.encodeUpload(of: image, to: buffer)
      var current = set.source
      for (number, filter) in chain.filters.enumerated() {
        // Two textures beside the source suffice: each stage reads one and writes the other.
        if set.stages.count <= number % 2 {
          set.stages.append(
            try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "stage \(number)")
          )
        }
        let next = set.stages[number % 2]
        filter.encode(to: buffer, source: current, destination: next)
        current = next
      }
      let readback = current.encodeReadback(to: buffer)
      kept = set
      buffer.commit()
      return Submission(buffer: buffer, readback: readback, image: image, color: color, replay: beginReplay(of: buffer))
    }
  }

  /// Starts the replay on the twin. What a picture leaves behind for the next lies on the twin too: with a history each waits for
  /// the one before.
  private func beginReplay(of buffer: CommandBuffer) -> Task<ReplayResult, any Error>? {
    guard let twin else { return nil }
    return lastReplay.withLock { last in
      let before = chain.history > 0 ? last : nil
      let replay = Task {
        await before?.value
        return try await twin.replayed(buffer.recording)
      }
      last = Task { _ = await replay.result }
      return replay
    }
  }

  /// Takes one picture through the chain.
  public func process(_ image: Image, label: String = "picture") async throws -> Image {
    try await submit(image, label: label).finished()
  }

  private func reuse(_ kept: WorkingSet?, _ image: Image) throws -> WorkingSet? {
    guard let kept, kept.source.size == image.size, kept.source.pixelFormat == image.pixelFormat else { return nil }
    return kept
  }
}
