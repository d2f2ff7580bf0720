public import SafelightImage
internal import Synchronization

// The calls by which a twin reads and makes pixels and numbers, named as in the shader.

extension PassMemory {
  /// A pixel of the region.
  public struct Position: Hashable, Sendable {
    /// The column and the row in the whole picture.
    public let x, y: Int

    @usableFromInline init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
  }

  /// The greatest sample of the kernel's picture, 255 or 65535: `MAXIMUM` in the shader.
  public var maximum: UInt32 { pass.maximum }

  /// Returns the input of a name; traps if the pass has none of that name.
  public func input(_ name: String) -> Input {
    guard let place = pass.inputs.firstIndex(where: { $0.name == name }) else {
      trap("pass '\(pass.name)' has no input '\(name)'; it has \(pass.inputs.map(\.name).joined(separator: ", "))")
    }
    return Input(inputs[place], pass.inputs[place], maximum: maximum, pass: pass)
  }

  /// Makes each pixel of the region: the one that `body` returns for its position. Samples must not be above
  /// ``maximum``, or above what a temporary's format holds.
  @inlinable
  public func makePixels(_ body: (Position) -> SIMD4<UInt32>) {
    let largest: UInt32 = output.bytesPerSample == 4 ? .max : output.bytesPerSample == 2 ? 65535 : 255
    for y in region.y..<region.y + region.size.height {
      for x in region.x..<region.x + region.size.width {
        let pixel = body(Position(x: x, y: y))
        if !output.store(pixel, x: x, y: y, largest: largest) { refuse(pixel, x: x, y: y) }
      }
    }
  }

  /// Calls `body` for each pixel of the region, to make numbers.
  @inlinable
  public func forEachPixel(_ body: (Position) -> Void) {
    for y in region.y..<region.y + region.size.height {
      for x in region.x..<region.x + region.size.width { body(Position(x: x, y: y)) }
    }
  }

  /// Adds to a sum of ``Pass/Numbers/sums(_:)``.
  public func addNumber(_ word: Int, _ value: UInt32) {
    if let place = place(of: word) { unsafe words[place] &+= value }
  }

  /// Adds to a sum of ``Pass/Numbers/wideSums(_:)``, whose first word is `word`.
  public func addWideNumber(_ word: Int, _ value: UInt64) {
    if let place = place(of: word), self.place(of: word + 1) != nil { unsafe words.addWide(value, at: place) }
  }

  /// Gives a value to one of ``Pass/Numbers/least(_:)``.
  public func lowerNumber(_ word: Int, _ value: UInt32) {
    if let place = place(of: word) { unsafe words[place] = min(words[place], value) }
  }

  /// Gives a value to one of ``Pass/Numbers/greatest(_:)``.
  public func raiseNumber(_ word: Int, _ value: UInt32) {
    if let place = place(of: word) { unsafe words[place] = max(words[place], value) }
  }

  private func place(of word: Int) -> Int? {
    if output.region.size.height == 1, (0..<output.size.width).contains(word) { return word }
    pass.fault("its twin makes word \(word) of \(output.size.width)", "give Output.numbers as many words as it makes")
    return nil
  }

  @usableFromInline @inline(never)
  func refuse(_ pixel: SIMD4<UInt32>, x: Int, y: Int) {
    let samples = (0..<output.step).map { String(pixel[$0]) }.joined(separator: ", ")
    pass.fault(
      "its twin makes samples of \(samples) in column \(x) and row \(y), where \(output.pixelFormat.rawValue) lies",
      "return min(pixel, maximum), in the shader too")
  }
}

extension PassMemory {
  /// A picture or numbers that a twin reads.
  public struct Input: Sendable {
    @usableFromInline let memory: PictureMemory
    @usableFromInline let maximum: UInt32
    /// True if zeros lie beyond the edges.
    @usableFromInline let isZeroOutside: Bool
    /// The columns and rows of the footprint to each side.
    @usableFromInline let left, top, right, bottom: Int
    private let name: String
    private let pass: Declaration

    init(_ memory: PictureMemory, _ input: Pass.Input, maximum: UInt32, pass: Declaration) {
      self.memory = memory
      self.maximum = maximum
      self.pass = pass
      name = input.name
      isZeroOutside = input.edge == .zero
      (left, top, right, bottom) =
        if case .window(let left, let top, let right, let bottom) = input.footprint.extent {
          (left, top, right, bottom)
        } else {
          (0, 0, 0, 0)
        }
    }

    /// Returns the pixel `x` columns to the right of a position and `y` rows below, which must lie in the footprint:
    /// integers from 0 to ``PassMemory/maximum``, or sums of a temporary. Of a gray picture, red is the gray, and the
    /// others are 0; alpha is the maximum where a picture has none.
    @inlinable @inline(__always)
    public func pixel(_ position: Position, x: Int = 0, y: Int = 0) -> SIMD4<UInt32> {
      if x < -left || x > right || y < -top || y > bottom { refuse(x: x, y: y) }
      let (column, row) = (position.x + x, position.y + y)
      let isInside = column >= 0 && column < memory.size.width && row >= 0 && row < memory.size.height
      if isZeroOutside && !isInside { return .zero }
      return memory.load(x: column, y: row, maximum: maximum)
    }

    /// Returns a word of numbers.
    public func number(_ word: Int) -> UInt32 {
      if let number = memory.number(word) { return number }
      pass.fault("its twin reads word \(word) of '\(name)'", "read the words of the pass that makes the numbers")
      return 0
    }

    @usableFromInline @inline(never)
    func refuse(x: Int, y: Int) {
      pass.fault(
        "its twin reads '\(name)' \(x) columns to the right and \(y) rows below, beyond the footprint",
        "give the input a larger footprint")
    }
  }

  /// What the calls by names know of a pass, and where the first fault of its twin is noted.
  struct Declaration: Sendable {
    var name = ""
    var inputs: [Pass.Input] = []
    var maximum: UInt32 = 0
    var faults: PassFaults?

    init() {}

    init(_ depth: SampleDepth, _ faults: PassFaults) {
      maximum = depth == .bits8 ? 255 : 65535
      self.faults = faults
    }

    mutating func declare(_ pass: Pass) { (name, inputs) = (pass.function.name, pass.inputs) }

    func fault(_ why: @autoclosure () -> String, _ remedy: String) { faults?.note(name, why, remedy) }
  }
}

/// The first fault of twins that run together: what a pass makes or reads against its own declaration.
final class PassFaults: Sendable {
  private let noted = Mutex<SafelightError?>(nil)

  var first: SafelightError? { noted.withLock { $0 } }

  func note(_ name: String, _ why: () -> String, _ remedy: String) {
    noted.withLock { if $0 == nil { $0 = SafelightError(.unsupported, "pass '\(name)'", why: why(), remedy: remedy) } }
  }
}

extension PictureMemory {
  /// Returns the pixel in column `x` and row `y`, or of those that lie in memory the next to it.
  @inlinable @inline(__always)
  func load(x: Int, y: Int, maximum: UInt32) -> SIMD4<UInt32> {
    let column = min(max(x, region.x), region.x + region.size.width - 1)
    let row = min(max(y, region.y), region.y + region.size.height - 1)
    let address = unsafe pixel(x: column, y: row)
    return switch bytesPerSample {
    case 1: unsafe load(UInt8.self, address, maximum)
    case 2: unsafe load(UInt16.self, address, maximum)
    default: unsafe load(UInt32.self, address, maximum)
    }
  }

  @inlinable @inline(__always)
  func load<Sample: UnsignedSample>(
    _ type: Sample.Type, _ address: UnsafeMutableRawPointer, _ maximum: UInt32
  ) -> SIMD4<UInt32> {
    let samples = unsafe address.assumingMemoryBound(to: type)
    func sample(_ channel: Int) -> UInt32 { unsafe UInt32(truncatingIfNeeded: samples[channel]) }
    if step == 4 { return SIMD4(sample(0), sample(1), sample(2), sample(3)) }
    return SIMD4(sample(0), step == 2 ? sample(1) : 0, 0, maximum)
  }

  /// Stores a pixel; returns false if a sample is above `largest`, and keeps its lower bits then.
  @inlinable @inline(__always)
  func store(_ pixel: SIMD4<UInt32>, x: Int, y: Int, largest: UInt32) -> Bool {
    let address = unsafe self.pixel(x: x, y: y)
    switch bytesPerSample {
    case 1: unsafe store(UInt8.self, pixel, address)
    case 2: unsafe store(UInt16.self, pixel, address)
    default: unsafe store(UInt32.self, pixel, address)
    }
    let stored = step == 4 ? pixel : SIMD4(pixel.x, step == 2 ? pixel.y : 0, 0, 0)
    return stored.max() <= largest
  }

  @inlinable @inline(__always)
  func store<Sample: UnsignedSample>(
    _ type: Sample.Type, _ pixel: SIMD4<UInt32>, _ address: UnsafeMutableRawPointer
  ) {
    let samples = unsafe address.assumingMemoryBound(to: type)
    for channel in 0..<step { unsafe samples[channel] = Sample(truncatingIfNeeded: pixel[channel]) }
  }

  /// Returns a word of numbers; nil if there are fewer.
  func number(_ word: Int) -> UInt32? {
    guard word >= 0 else { return nil }
    // OpenGL ES draws pictures of some formats, and draws read numbers as a table, in halves.
    guard pixelFormat == .rgba16Uint else { return word < size.width ? unsafe words[word] : nil }
    guard word < size.area else { return nil }
    let entry = unsafe entries()[word]
    return UInt32(entry.x) | UInt32(entry.y) << 16
  }
}
