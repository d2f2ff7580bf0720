import SafelightGPU
import SafelightImage
import SafelightKernels
import Synchronization
import TestSupport
import Testing

/// A command buffer for many cases, with what they are expected to give.
final class Batch {
  let device: Device
  let buffer: CommandBuffer
  private var expectations: [() throws -> Void] = []

  /// On the CPU, for what must stop.
  convenience init() throws { try self.init(on: .open(.cpu)) }

  convenience init(_ test: TestDevice, label: String = #function) throws {
    try self.init(on: test.open(), label: "\(test.name) \(label)")
  }

  init(on device: Device, queue: CommandQueue? = nil, label: String = #function) {
    self.device = device
    buffer = (queue ?? device.makeCommandQueue()).makeCommandBuffer(label: label)
  }

  // MARK: Recording

  /// Makes a texture that holds `picture`, in `format` if given.
  func source(_ picture: Picture, as format: PixelFormat? = nil) throws -> Texture {
    let texture = try device.makeTexture(picture.size, format ?? picture.format)
    let bytes = texture.pixelFormat.bytes(Picture.ordered(picture.samples, texture.pixelFormat))
    blit { $0.write(bytes, to: texture) }
    return texture
  }

  /// Makes a texture of one pixel, or of `size`.
  func texture(_ format: PixelFormat, _ size: Size = Size(1, 1), label: String? = nil) throws -> Texture {
    try device.makeTexture(size, format, label: label)
  }

  /// Makes a buffer for the counts of a source of `format`.
  func bins(_ info: HistogramInfo = HistogramInfo(), _ format: PixelFormat = .rgba8Unorm) throws -> Buffer {
    try device.makeBuffer(length: info.histogramSize(forSourceFormat: format))
  }

  /// Makes a buffer that holds `words`.
  func words(_ words: [UInt32]) throws -> Buffer {
    let memory = try device.makeBuffer(length: 4 * words.count)
    write(words, to: memory)
    return memory
  }

  func write(_ words: [UInt32], to memory: Buffer, offset: Int = 0) {
    blit { $0.write(words.withUnsafeBytes { Array($0) }, to: memory, offset: offset) }
  }

  /// The method `encode(to:source:destination:pipeline:)` of a kernel.
  typealias Encode = (CommandBuffer, Texture, Texture, PipelineKind) -> Void

  /// Records a kernel from `source` into a texture like it and reads that back.
  @discardableResult
  func result(_ encode: Encode, _ source: Texture, _ pipeline: PipelineKind = .automatic) throws -> Readback {
    let destination = try device.makeTexture(source.size, source.pixelFormat)
    encode(buffer, source, destination, pipeline)
    return blit { $0.read(destination) }
  }

  /// Records a kernel in every pipeline and expects its samples, red first, which `expected` works out after the run.
  func expectForms(
    _ encode: Encode, _ source: Texture, _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ expected: @escaping () throws -> [Int]
  ) throws {
    for pipeline in pipelines(source.pixelFormat) {
      let readback = try result(encode, source, pipeline)
      expect(readback, source.pixelFormat, "\(what), \(pipeline)", sourceLocation: sourceLocation, expected)
    }
  }

  /// Reads all of `memory` back.
  func read(_ memory: Buffer) -> Readback { blit { $0.read(memory, range: 0..<memory.length) } }

  /// Records copies.
  @discardableResult
  func blit<Result>(_ record: (BlitCommandEncoder) -> Result) -> Result { buffer.blit(record) }

  /// The formats that the device has, of those that point kernels take.
  var formats: [PixelFormat] { Picture.allFormats.filter(device.canRead) }

  /// The pipelines of a point kernel that differ on this device: OpenGL ES 3.1 cannot store into every format, and a
  /// twin has one body.
  func pipelines(_ format: PixelFormat) -> [PipelineKind] {
    if device.info.isCPU { return [.automatic] }
    return format.isStorable ? [.compute, .render] : [.render]
  }

  // MARK: Expectations

  /// Expects samples of `format`, red first, which `expected` works out after the run; once for all devices by the key
  /// `what`, if `known` is given.
  func expect(
    _ readback: Readback, _ format: PixelFormat, _ what: String, knownAs known: KnownBytes? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ expected: @escaping () throws -> [Int]
  ) {
    expectations.append {
      let made = try readback.contents()
      guard let known else {
        let samples = Picture.ordered(format.samples(made), format)
        return expectEqual(samples, try expected(), what, sourceLocation: sourceLocation)
      }
      let bytes = try known[what, { format.bytes(Picture.ordered(try expected(), format)) }]
      if made == bytes { return }
      expectEqual(format.samples(made), format.samples(bytes), what, sourceLocation: sourceLocation)
    }
  }

  /// Expects 32-bit words.
  func expect(
    words readback: Readback, _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ expected: @escaping () throws -> [Int]
  ) {
    expectations.append {
      expectEqual(try readback.words(), try expected(), what, sourceLocation: sourceLocation)
    }
  }

  /// Runs everything recorded, and compares it with what is expected and with the Swift twins.
  func check(againstTwins: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) throws {
    buffer.commit()
    try checkCommitted()
    if againstTwins { #expect(try readbacksUnlikeTwins() == 0, sourceLocation: sourceLocation) }
  }

  /// Waits for everything recorded and committed, and compares it with what is expected.
  func checkCommitted() throws {
    try buffer.waitUntilCompleted()
    for expectation in expectations { try expectation() }
  }

  /// Runs everything recorded.
  func run() throws { try buffer.finish() }

  /// Returns how many of the readbacks differ from what the Swift twins make of the same recording.
  func readbacksUnlikeTwins() throws -> Int {
    let readbacks = buffer.recording.readbacks
    // A suite that compares nothing must not pass.
    try #require(!readbacks.isEmpty)
    let twins = try Device.open(.cpu).replay(buffer.recording)
    return try readbacks.count { try twins.contents(of: $0) != $0.contents() }
  }
}

/// Bytes that are worked out once for all devices.
final class KnownBytes: Sendable {
  private let known = Mutex<[String: [UInt8]]>([:])

  subscript(key: String, make: () throws -> [UInt8]) -> [UInt8] {
    get throws {
      if let bytes = known.withLock({ $0[key] }) { return bytes }
      let made = try make()
      known.withLock { $0[key] = made }
      return made
    }
  }
}

/// Fails with the first difference alone, since a listing of two pictures helps nobody.
func expectEqual(
  _ actual: [Int], _ expected: [Int], _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if actual == expected { return }
  let first = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }
  let place = first.map { "first at \($0.offset): \($0.element.0), not \($0.element.1)" } ?? "another length"
  Issue.record("\(what()): \(place)", sourceLocation: sourceLocation)
}

/// Fails unless the program stopped with a message that contains `part`.
func expectStop(
  _ result: ExitTest.Result?, saying part: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(text.contains(part), "stopped with: \(text)", sourceLocation: sourceLocation)
}

extension Recording {
  /// Everything that it brings back.
  var readbacks: [Readback] {
    commands.compactMap { entry in
      switch entry.command {
      case .readTexture(let read): read.readback
      case .readBuffer(_, _, let readback): readback
      default: nil
      }
    }
  }

  /// The names of the functions that it runs.
  var functions: [String] { shaderFunctions.map(\.name) }
}

extension Readback {
  /// The bytes as 32-bit counts.
  func words() throws -> [Int] { try contents().words(UInt32.self).map(Int.init) }
}
