public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// Takes frames through a filter chain on a device, one command buffer a frame.
///
/// Working textures are kept between frames of the same size and format. The device runs command buffers in the
/// order in which frames were given, so any number of them may be on the way.
public final class FrameProcessor: Sendable {
  /// The device.
  public let device: Device
  /// The stages.
  public let chain: FilterChain

  /// Replays every frame here too, and compares; nil where nothing is to be verified.
  private let twin: Device?
  /// The queue of its command buffers.
  package let queue: CommandQueue
  private let workspace = Mutex<FrameWorkspace?>(nil)
  /// How frames come and go on a GPU; nil where they do as they are.
  private let mapped: MappedFrames?
  /// The last frame's replay on the twin; those of chains with a history follow one another.
  private let lastReplay = Mutex<Task<Void, Never>?>(nil)

  /// Joins a device and a chain made for it. With `verifying`, each frame is also replayed on that device.
  public convenience init(device: Device, chain: FilterChain, verifying twin: Device? = nil) {
    // A replay elsewhere needs the frame as it was; mapped memory has the next one by then.
    self.init(device: device, chain: chain, verifying: twin, maps: twin == nil && MappedFrames.suit(device))
  }

  /// The same; `maps` says whether frames come and go through mapped memory.
  package init(device: Device, chain: FilterChain, verifying twin: Device? = nil, maps: Bool) {
    self.device = device
    self.chain = chain
    self.twin = twin
    mapped = maps ? MappedFrames(device: device) : nil
    queue = device.makeCommandQueue(label: "frames")
  }

  /// Takes one picture through the chain.
  public func process(_ image: Image, label: String = "picture") async throws -> Image {
    try await submit(image, label: label).image()
  }

  /// Records and commits the work on `image` without waiting for it; `label` names it in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` where a filter is not defined for such a picture, or for what its samples mean.
  public func submit(_ image: Image, label: String) throws -> FrameSubmission {
    try submit(.image(image), as: .image, label: label)
  }

  /// Records and commits the work on `picture` without waiting for it, so that it becomes `form`; `label` names it in errors.
  ///
  /// Luma and chroma that no filter touches, and that stay what they are, come back byte for byte.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` where a filter is not defined for such a picture, or for what its samples mean;
  ///   also where luma and chroma do not say their matrix or range, or are asked for in another depth than the picture has.
  public func submit(_ picture: FramePicture, as form: FrameForm, label: String) throws -> FrameSubmission {
    try submit(picture, as: form, label: label, firstRow: 0)
  }

  /// The same for a picture that may be a part of another, in which its first row has the number `firstRow`.
  func submit(_ picture: FramePicture, as form: FrameForm, label: String, firstRow: Int) throws -> FrameSubmission {
    do {
      let plan = try plan(picture.filtered, as: form, label: label)
      return try record(picture, as: form, plan, label: label, firstRow: firstRow)
    } catch {
      // Its commands, which a film's later pictures count on, are lost.
      chain.reset()
      throw error
    }
  }

  /// What each stage makes of `image`, which is what the filters see; the last is the result.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` where a filter is not defined for such a picture, or for what its samples mean.
  func plan(_ image: ImageDescriptor, as form: FrameForm, label: String) throws(SafelightError) -> [ImageDescriptor] {
    let plan: [ImageDescriptor]
    do throws(SafelightError) {
      plan = try chain.plan(image)
    } catch {
      throw error.during(label)
    }
    guard case .planes(let layout, _) = form, let result = plan.last, layout.depth != result.depth else { return plan }
    throw SafelightError(
      .unsupported, label, why: "its samples have \(result.depth.rawValue) bits, and \(layout) has \(layout.bits)",
      remedy: "write a film of \(result.depth == .bits8 ? "8" : "more than 8") bits, or PNG files")
  }

  private func record(
    _ picture: FramePicture, as form: FrameForm, _ plan: [ImageDescriptor], label: String, firstRow: Int
  ) throws -> FrameSubmission {
    var result = plan.last ?? picture.filtered
    var form = form
    if case .planes(let layout, let meaning) = form {
      result.color = ColorDescription(
        matrix: meaning.matrix, range: meaning.range, transfer: result.color.transfer,
        primaries: result.color.primaries,
        siting: meaning.siting)
      form = .planes(layout, result.color)
    }
    let kind = FrameWorkspace.Kind(picture, plan, result: form, isUnchanged: chain.isPassthrough)
    let buffer = queue.makeCommandBuffer(label: label)
    let memory = try mapped.map { mapped in try picture.packedPlanes.map { try mapped.take(holding: $0) } }
    // Recording and committing under the lock keeps the order of the textures' uses that of the queue.
    return try workspace.withLock { kept in
      var space = try kept.flatMap { $0.kind == kind ? $0 : nil } ?? FrameWorkspace(device: device, kind: kind)
      let returns: [FrameReturn]
      let measured: [Readback]
      do {
        (returns, measured) = try space.encode(
          picture, in: memory, through: chain.filters, returning: mapped, to: buffer)
      } catch let error as SafelightError {
        throw error.during(label)
      }
      kept = space
      buffer.commit()
      return FrameSubmission(
        buffer: buffer, returns: returns, arrival: arrival(of: buffer, returns, leaving: memory ?? []),
        measurements: measurements(measured, chain.filters, of: [picture.filtered] + plan), picture: picture,
        firstRow: firstRow, form: form, result: result, replay: beginReplay(of: buffer))
    }
  }

  /// Joins what comes back with who measured it, and what it measured.
  private func measurements(
    _ readbacks: [Readback], _ filters: [any ImageStage], of images: [ImageDescriptor]
  ) -> [FrameMeasurement] {
    let measuring = zip(filters, images).compactMap { filter, image in filter.measurement.map { ($0, image) } }
    return zip(readbacks, measuring).map { FrameMeasurement(readback: $0, measurement: $1.0, image: $1.1) }
  }

  /// Waits for the bytes of a frame, and takes mapped memory back: that of the result, and `memory` that held what was given.
  private func arrival(
    of buffer: CommandBuffer, _ returns: [FrameReturn], leaving memory: [Buffer]
  ) -> Task<[[UInt8]], any Error> {
    Task { [mapped] in
      defer {
        let results = returns.compactMap { if case .mapped(let buffer) = $0 { buffer } else { nil } }
        mapped?.give(memory + results)
      }
      try await buffer.completed()
      return try returns.map { try $0.contents() }
    }
  }

  /// Starts the replay on the twin. What a frame leaves behind for the next lies on the twin too: with a history each waits for
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
}

/// Where a device and the CPU twins differ; there is none for equal pictures.
package struct TwinDifference: Hashable, Sendable {
  /// One sample that differs.
  package struct Sample: Hashable, Sendable {
    /// The pixel's column.
    package let x: Int
    /// The pixel's row.
    package let y: Int
    /// Which sample of the pixel, from 0.
    package let sample: Int
    /// What it should be.
    let expected: Int
    /// What it is.
    let actual: Int
  }

  /// Samples that differ.
  package let differing: Int
  /// Samples that the pictures have: three a pixel without alpha, although a fourth lies in memory.
  package let samples: Int
  /// The largest difference.
  package let maximum: Int
  /// The first that differs, reading from the top-left.
  package let first: Sample

  /// Compares sample by sample; nil where all are equal. Both pictures need the same size, channels and depth.
  package init?(expected: Image, actual: Image) {
    trap(
      unless: expected.size == actual.size && expected.channels == actual.channels && expected.depth == actual.depth,
      "only pictures of one size, kind and depth can be compared")
    if expected.bytes == actual.bytes { return nil }
    let meant = expected.channels.sampleIndices
    samples = expected.size.area * meant.count
    // What lies in memory and is no sample is told of only where nothing else differs.
    let all = Array(0..<expected.pixelFormat.samplesPerPixel)
    guard let found = Self.find(meant, expected, actual) ?? Self.find(all, expected, actual) else { return nil }
    (differing, maximum, first) = found
  }

  private static func find(
    _ samples: [Int], _ expected: Image, _ actual: Image
  ) -> (differing: Int, maximum: Int, first: Sample)? {
    var differing = 0
    var maximum = 0
    var first: Sample?
    for y in 0..<expected.size.height {
      for x in 0..<expected.size.width {
        for sample in samples {
          let a = expected[x: x, y: y, sample: sample]
          let b = actual[x: x, y: y, sample: sample]
          guard a != b else { continue }
          differing += 1
          maximum = max(maximum, abs(a - b))
          if first == nil { first = Sample(x: x, y: y, sample: sample, expected: a, actual: b) }
        }
      }
    }
    return first.map { (differing, maximum, $0) }
  }

  /// The difference between `device` and the CPU twins in the picture called `name`, as an error; `place` says which sample the first is.
  package func error(name: String, device: String, place: (Sample) -> String) -> SafelightError {
    SafelightError(
      .difference, name,
      why: """
        \(device) and the CPU twins differ in \(differing) of \(samples) samples, by up to \(maximum); first at \
        \(place(first)): \(first.expected) on the CPU, \(first.actual) on the device
        """, remedy: "report it with the name of the driver, and use the device cpu meanwhile")
  }
}
