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

  /// Makes each pixel of the region: the one that `body` returns for its position. Samples above the greatest that the
  /// format holds become that, as they do in the shader.
  @inlinable @inline(__always)
  public func makePixels(_ body: (Position) -> SIMD4<UInt32>) {
    if !beginsPixels() { return }
    // A loop for each kind of sample, so that nothing is chosen pixel by pixel.
    switch output.bytesPerSample {
    case 1: makePixels(of: UInt8.self, body)
    case 2: makePixels(of: UInt16.self, body)
    default: makePixels(of: UInt32.self, body)
    }
  }

  @inlinable @inline(__always)
  func makePixels<Sample: UnsignedSample & SIMDScalar>(of type: Sample.Type, _ body: (Position) -> SIMD4<UInt32>) {
    let (step, largest) = (output.step, SIMD4(repeating: UInt32(truncatingIfNeeded: Sample.max)))
    for y in region.y..<region.y + region.size.height {
      let row = unsafe output.row(type, x: region.x, y: y, count: region.size.width)
      for x in 0..<region.size.width {
        let pixel = pointwiseMin(body(Position(x: region.x + x, y: y)), largest)
        let made = SIMD4<Sample>(truncatingIfNeeded: pixel)
        if step == 4 {
          for channel in 0..<4 { unsafe row[4 * x + channel] = made[channel] }
        } else {
          for channel in 0..<step { unsafe row[step * x + channel] = made[channel] }
        }
      }
    }
  }

  /// Notes that the pixels are made; returns false, and notes a fault, if the output is none of pixels.
  @usableFromInline @inline(never)
  func beginsPixels() -> Bool {
    pass.call?.madePixels.store(true, ordering: .relaxed)
    if !output.isWords && output.region.contains(region) { return true }
    pass.fault("its twin makes pixels, and its output is numbers", "make numbers of the pixels, by forEachPixel")
    return false
  }

  /// Calls `body` for each pixel of the region, to make numbers.
  @inlinable @inline(__always)
  public func forEachPixel(_ body: (Position) -> Void) {
    for y in region.y..<region.y + region.size.height {
      for x in region.x..<region.x + region.size.width { body(Position(x: x, y: y)) }
    }
  }

  /// Adds to a sum of ``Pass/Numbers/sums(_:)``.
  public func addNumber(_ word: Int, _ value: UInt32) {
    if makes(word, .sum) { unsafe words[word] &+= value }
  }

  /// Adds to a sum of ``Pass/Numbers/wideSums(_:)``, whose first word is `word`.
  public func addWideNumber(_ word: Int, _ value: UInt64) {
    if makes(word, .wideSum) { unsafe words.addWide(value, at: word) }
  }

  /// Gives a value to one of ``Pass/Numbers/least(_:)``.
  public func lowerNumber(_ word: Int, _ value: UInt32) {
    if makes(word, .least) { unsafe words[word] = min(words[word], value) }
  }

  /// Gives a value to one of ``Pass/Numbers/greatest(_:)``.
  public func raiseNumber(_ word: Int, _ value: UInt32) {
    if makes(word, .greatest) { unsafe words[word] = max(words[word], value) }
  }

  /// Returns whether the pass makes `word` by `rule`; notes a fault if not.
  private func makes(_ word: Int, _ rule: Pass.NumberRule) -> Bool {
    if pass.output.makes(word, rule) { return true }
    pass.fault(
      "its twin makes word \(word) by the rule '\(rule)', and its output has no such word",
      "give Output.numbers the words that it makes")
    return false
  }
}

extension Pass.Output {
  /// Returns whether `word`, or of a wide sum the first of both, is made by `rule`.
  fileprivate func makes(_ word: Int, _ rule: Pass.NumberRule) -> Bool {
    guard case .numbers(_, let all) = target else { return false }
    var first = 0
    for numbers in all {
      if (first..<first + numbers.words).contains(word) {
        return numbers.rule == rule && (rule != .wideSum || (word - first) % 2 == 0)
      }
      first += numbers.words
    }
    return false
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
    private let wordCount: Int?
    private let pass: Declaration

    init(_ memory: PictureMemory, _ input: Pass.Input, maximum: UInt32, pass: Declaration) {
      self.memory = memory
      self.maximum = maximum
      self.pass = pass
      name = input.name
      wordCount = input.wordCount
      isZeroOutside = input.edge == .zero
      (left, top, right, bottom) =
        if case .window(let left, let top, let right, let bottom) = input.footprint.extent {
          (left, top, right, bottom)
        } else {
          (0, 0, 0, 0)
        }
    }

    /// Returns the pixel `x` columns to the right of a position and `y` rows below, which must lie in the footprint:
    /// integers from 0 to ``PassMemory/maximum``, or sums of a temporary. A picture of one channel has its gray in red,
    /// green and blue; alpha is the maximum where a picture has none.
    @inlinable @inline(__always)
    public func pixel(_ position: Position, x: Int = 0, y: Int = 0) -> SIMD4<UInt32> {
      // As unsigned numbers, those below 0 are large.
      let (column, row) = (position.x &+ x &- memory.region.x, position.y &+ y &- memory.region.y)
      if UInt(bitPattern: column) >= UInt(bitPattern: memory.region.size.width)
        || UInt(bitPattern: row) >= UInt(bitPattern: memory.region.size.height)
        || UInt(bitPattern: x &+ left) > UInt(bitPattern: left + right)
        || UInt(bitPattern: y &+ top) > UInt(bitPattern: top + bottom)
      {
        return outside(position, x, y)
      }
      return memory.load(column, row, maximum: maximum)
    }

    /// Returns a pixel beyond the edges, or, with a fault, one beyond the footprint.
    @usableFromInline @inline(never)
    func outside(_ position: Position, _ x: Int, _ y: Int) -> SIMD4<UInt32> {
      if x < -left || x > right || y < -top || y > bottom {
        pass.fault(
          "its twin reads '\(name)' \(x) columns to the right and \(y) rows below, beyond the footprint",
          "give the input a larger footprint")
      }
      let (column, row) = (position.x &+ x, position.y &+ y)
      let isInside = (0..<memory.size.width).contains(column) && (0..<memory.size.height).contains(row)
      // The shader makes an opaque gray of this zero, as of every sample of one channel.
      if isZeroOutside && !isInside { return memory.step == 1 ? SIMD4(0, 0, 0, maximum) : .zero }
      let held = memory.region
      return memory.load(
        min(max(column, held.x), held.x + held.size.width - 1) - held.x,
        min(max(row, held.y), held.y + held.size.height - 1) - held.y, maximum: maximum)
    }

    /// Returns a word of numbers.
    public func number(_ word: Int) -> UInt32 {
      let count = memory.isWords ? memory.size.width : wordCount ?? 0
      guard (0..<count).contains(word) else {
        pass.fault(
          "its twin reads word \(word) of '\(name)', which has \(count)", "read the words that the other pass makes")
        return 0
      }
      if memory.isWords { return unsafe memory.words[word] }
      // OpenGL ES draws pictures of some formats, and draws read numbers as a table, in halves.
      let entry = unsafe memory.entries()[word]
      return UInt32(entry.x) | UInt32(entry.y) << 16
    }
  }

  /// A pass as its kernel declared it, and the list in which a fault of its twin is noted.
  struct Declaration: Sendable {
    var name = ""
    var inputs: [Pass.Input] = []
    var output = Pass.Output.result
    var maximum: UInt32 = 0
    var faults: PassFaults?
    /// The call of another package's twin; nil for a twin of this package.
    var call: TwinCall?

    init() {}

    init(_ depth: SampleDepth, _ faults: PassFaults) {
      maximum = depth == .bits8 ? 255 : 65535
      self.faults = faults
    }

    mutating func declare(_ pass: Pass) { (name, inputs, output) = (pass.function.name, pass.inputs, pass.output) }

    func fault(_ why: @autoclosure () -> String, _ remedy: String) {
      faults?.note("pass '\(name)' that makes \(output.resource)", why, remedy)
    }
  }
}

/// One call of another package's twin.
final class TwinCall: Sendable {
  let madePixels = Atomic(false)
}

extension PassMemory {
  /// Calls the twin of `function`; notes a fault if it is another package's and leaves pixels unmade.
  func run(_ function: any PassFunction) {
    guard function.builtIn == nil else { return function.make(self) }
    let call = TwinCall()
    var memory = self
    memory.pass.call = call
    function.make(memory)
    if !output.isWords, !call.madePixels.load(ordering: .relaxed) {
      pass.fault("its twin makes no pixels", "call makePixels in each case")
    }
  }
}

/// The first fault of twins that run together. A fault is a call that contradicts the declaration of the pass.
final class PassFaults: Sendable {
  private let noted = Mutex<SafelightError?>(nil)

  var first: SafelightError? { noted.withLock { $0 } }

  func note(_ what: @autoclosure () -> String, _ why: () -> String, _ remedy: String) {
    noted.withLock { if $0 == nil { $0 = SafelightError(.kernel, what(), why: why(), remedy: remedy) } }
  }
}

extension PictureMemory {
  /// Returns the pixel in a column and a row of those that lie in memory.
  @inlinable @inline(__always)
  func load(_ column: Int, _ row: Int, maximum: UInt32) -> SIMD4<UInt32> {
    let address = unsafe samples + row * bytesPerRow + column * step * bytesPerSample
    return switch bytesPerSample {
    case 1: unsafe load(UInt8.self, address, maximum)
    case 2: unsafe load(UInt16.self, address, maximum)
    default: unsafe load(UInt32.self, address, maximum)
    }
  }

  @inlinable @inline(__always)
  func load<Sample: UnsignedSample & SIMDScalar>(
    _ type: Sample.Type, _ address: UnsafeMutableRawPointer, _ maximum: UInt32
  ) -> SIMD4<UInt32> {
    if step == 4 { return SIMD4(truncatingIfNeeded: unsafe address.loadUnaligned(as: SIMD4<Sample>.self)) }
    let first = unsafe UInt32(truncatingIfNeeded: address.loadUnaligned(as: type))
    if step == 1 { return SIMD4(first, first, first, maximum) }
    let second = unsafe (address + bytesPerSample).loadUnaligned(as: type)
    return SIMD4(first, UInt32(truncatingIfNeeded: second), 0, maximum)
  }
}
