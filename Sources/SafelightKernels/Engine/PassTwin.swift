internal import SafelightGPU
internal import SafelightImage

/// The twin of a program: what its functions are given of a call's arguments, checked, and on how many threads they
/// work.
extension PassProgram {
  /// A part of a picture that lies in a texture, and the size of the whole picture.
  private struct Part {
    let held: Region
    let size: Size
  }

  /// The pixels that are made, or of which numbers are made, and the memory of a call: what is made, then the inputs.
  /// Nil if a block says so with too few words, or names pixels that do not lie in their picture.
  private func places(_ arguments: TwinArguments) -> (area: Region, places: [Part])? {
    let slots = [output] + inputs
    var words: [Int] = []
    if hasRegions {
      words = arguments.words(3).map { Int(Int32(bitPattern: $0)) }
      guard words.count == 4 * (slots.count + 1) else { return nil }
    }
    let places = slots.enumerated().map { number, slot in
      switch slot {
      case .words(let count): return Part(held: Region(size: Size(count, 1)), size: Size(count, 1))
      case .texture:
        let size = texture(number, arguments).size
        guard hasRegions else { return Part(held: Region(size: size), size: size) }
        let place = words[4 * number + 4..<4 * number + 8].map { $0 }
        return Part(held: Region(x: place[0], y: place[1], size: size), size: Size(place[2], place[3]))
      }
    }
    let visited = places[output.isWords ? 1 : 0]
    let area = hasRegions ? Region(x: words[0], y: words[1], width: words[2], height: words[3]) : visited.held
    guard !area.size.isEmpty, area.isInside(visited.size), output.isWords || visited.held.contains(area),
      places.allSatisfy({ $0.held.isInside($0.size) })
    else { return nil }
    return (area, places)
  }

  /// Returns the texture of a place, 0 for that which is made.
  private func texture(_ place: Int, _ arguments: TwinArguments) -> TextureMemory {
    place == 0 ? arguments.target : arguments.texture(Self.index(ofInput: place - 1))
  }

  private func buffer(_ place: Int, _ arguments: TwinArguments) -> BufferMemory {
    arguments.buffer(place == 0 ? 1 : index(ofWords: place - 1))
  }

  /// The sizes of the pictures and tables of a call, as far as the program does not know them: that which is made, then
  /// the inputs.
  func sizes(_ arguments: TwinArguments) -> [Size]? {
    places(arguments).map { zip($0.places, [output] + inputs).compactMap { $1.isWords ? nil : $0.size } }
  }

  /// Returns whether a call of the program of `node`, as a capture states it, makes no other pixels than the pass does,
  /// holds what these need, and makes all of them, as a twin does: a draw all of its texture, a dispatch by its
  /// threads.
  func isSound(_ arguments: TwinArguments, for node: PassPlan.Node) -> Bool {
    guard let (area, places) = places(arguments), node.group.area?.contains(area) ?? true else { return false }
    // Entries of a table are made all at once.
    if node.group.output.isTable && (area.size != places[0].size || places[0].held.size != places[0].size) {
      return false
    }
    for (input, place) in zip(node.group.inputs, places.dropFirst()) {
      let needed = input.footprint.needed(for: area, in: place.size)
      guard !needed.size.isEmpty, place.held.contains(needed) else { return false }
    }
    if arguments.colorAttachment != nil { return area == places[0].held }
    let threads = grid(making: area.size, threadgroups: node.group.first.threadgroups).threads
    return arguments.grid == threads && arguments.depth == 1
  }

  /// Runs the twin, on several threads.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the memory is not what the function reads and makes, as a capture
  ///   may say, but no recording does.
  func run(_ arguments: TwinArguments) throws(SafelightError) {
    guard let (area, places) = places(arguments) else { throw refusal("its regions lie outside its pictures") }
    let slots = [output] + inputs
    for (place, slot) in slots.enumerated() {
      switch slot {
      case .texture(let format) where texture(place, arguments).pixelFormat != format:
        throw refusal("a texture has another format")
      case .words(let count) where unsafe buffer(place, arguments).words.count < count:
        throw refusal("a buffer has fewer words")
      default: break
      }
    }
    let blocks = group.passes.enumerated().map { number, pass in
      pass.uniforms.isEmpty ? [] : arguments.words(PassGroup.binding(ofBlock: number))
    }
    let textures = slots.indices.filter { !slots[$0].isWords }
    let memories = textures.map { texture($0, arguments) }
    let faults = PassFaults()
    unsafe Self.withSamples(of: memories[...], writingFirst: !output.isWords) { samples in
      var samples = unsafe samples[...]
      let memory = slots.enumerated().compactMap { place, slot -> PictureMemory? in
        switch slot {
        case .texture(let format):
          return unsafe samples.popFirst().map {
            unsafe PictureMemory(places[place].held, of: places[place].size, format, $0)
          }
        case .words(let count):
          let words = unsafe buffer(place, arguments).words
          return unsafe PictureMemory(words: words, count: count)
        }
      }
      make(
        PassMemory(
          region: area, output: memory[0], inputs: Array(memory.dropFirst()), uniforms: [],
          pass: .init(depth, faults)), blocks: blocks)
    }
    if let fault = faults.first { throw fault }
  }

  private func make(_ memory: PassMemory, blocks: [[UInt32]]) {
    let rows = memory.region.y..<memory.region.y + memory.region.size.height
    switch group.first.kind {
    case .pixels, .runs, .copy:
      RowSlices(rows, width: memory.region.size.width).concurrently { _, rows in
        group.make(memory.cut(to: rows), blocks: blocks)
      }
    case .numbers: numbers.make(memory) { group.make($0, blocks: blocks) }
    case .threadgroups: group.make(memory, blocks: blocks)
    }
  }

  private func refusal(_ why: String) -> SafelightError {
    SafelightError(
      .input, group.name, why: why, remedy: "replay it on a device with OpenGL ES, or capture again")
  }

  /// Calls `body` with the samples of each texture, the first of which may be written.
  static func withSamples(
    of textures: ArraySlice<TextureMemory>, writingFirst: Bool = true,
    after found: [UnsafeMutableRawPointer] = unsafe [],
    _ body: ([UnsafeMutableRawPointer]) -> Void
  ) {
    guard let texture = textures.first else { return unsafe body(found) }
    func next(_ samples: UnsafeMutableRawPointer?) {
      guard let samples = unsafe samples else { trap("a texture of \(texture.size) has no samples") }
      unsafe withSamples(of: textures.dropFirst(), writingFirst: false, after: found + [samples], body)
    }
    if writingFirst {
      unsafe texture.withMutableSamples(of: UInt8.self) {
        unsafe next($0.baseAddress.map { UnsafeMutableRawPointer($0) })
      }
    } else {
      unsafe texture.withSamples(of: UInt8.self) {
        unsafe next($0.baseAddress.map { unsafe UnsafeMutableRawPointer(mutating: $0) })
      }
    }
  }
}

extension PictureMemory {
  /// Describes the first `count` of `words`.
  fileprivate init(words: UnsafeMutableBufferPointer<UInt32>, count: Int) {
    guard let first = words.baseAddress else { trap("numbers have no words") }
    unsafe self.init(Region(size: Size(count, 1)), of: Size(count, 1), .r32Uint, UnsafeMutableRawPointer(first))
    isWords = true
  }
}

extension [Pass.Numbers] {
  /// Calls `body` for slices of rows at once, each with words of its own, which are joined with `memory`'s.
  func make(_ memory: PassMemory, _ body: (PassMemory) -> Void) {
    let region = memory.region
    // All slices may take 4 MiB.
    let most = Swift.max(1, (1 << 20) / memory.output.size.width)
    let slices = RowSlices(region.y..<region.y + region.size.height, width: region.size.width, most: most)
    guard slices.count > 1 else { return body(memory) }
    joiningParts(slices.count, into: memory.output) { part in
      slices.concurrently { number, rows in
        var memory = memory.cut(to: rows)
        memory.output = part(number)
        body(memory)
      }
    }
  }

  /// Calls `body` with a function that returns the words of each of `count` parts, without values yet, then joins all
  /// parts with `output`'s words.
  private func joiningParts(
    _ count: Int, into output: PictureMemory, _ body: (_ part: (Int) -> PictureMemory) -> Void
  ) {
    let length = output.size.width
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count * length) { words in
      unsafe words.initialize(repeating: 0)
      let parts = (0..<count).map { part in
        unsafe PictureMemory(
          words: UnsafeMutableBufferPointer(rebasing: words[part * length..<(part + 1) * length]), count: length)
      }
      for part in parts { unsafe begin(part.words) }
      body { parts[$0] }
      for part in parts { unsafe join(part.words, into: output.words) }
    }
  }

  /// The words of each rule.
  private var ranges: [(rule: Pass.NumberRule, words: Range<Int>)] {
    var first = 0
    return map { numbers in
      defer { first += numbers.words }
      return (numbers.rule, first..<first + numbers.words)
    }
  }

  /// The words that do not begin as zeros, but with all bits set.
  var wordsOfLeast: [Range<Int>] { ranges.filter { $0.rule == .least }.map(\.words) }

  private func begin(_ words: UnsafeMutableBufferPointer<UInt32>) {
    for range in wordsOfLeast {
      for word in range { unsafe words[word] = .max }
    }
  }

  private func join(_ part: UnsafeMutableBufferPointer<UInt32>, into words: UnsafeMutableBufferPointer<UInt32>) {
    for (rule, range) in ranges {
      switch rule {
      case .sum: for word in range { unsafe words[word] &+= part[word] }
      case .wideSum:
        for word in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
          unsafe words.addWide(UInt64(part[word]) | UInt64(part[word + 1]) << 32, at: word)
        }
      case .least: for word in range { unsafe words[word] = Swift.min(words[word], part[word]) }
      case .greatest: for word in range { unsafe words[word] = Swift.max(words[word], part[word]) }
      case .single: for word in range { unsafe words[word] |= part[word] }
      }
    }
  }
}

extension UnsafeMutableBufferPointer<UInt32> {
  /// Adds to the sum of 64 bits in a word, the lower half, and the next.
  func addWide(_ value: UInt64, at word: Int) {
    let sum = unsafe (UInt64(self[word]) | UInt64(self[word + 1]) << 32) &+ value
    unsafe self[word] = UInt32(truncatingIfNeeded: sum)
    unsafe self[word + 1] = UInt32(truncatingIfNeeded: sum >> 32)
  }
}

extension BufferMemory {
  /// The buffer as 32-bit words, valid as long as the buffer: through the call of a twin.
  var words: UnsafeMutableBufferPointer<UInt32> { unsafe withWords { unsafe $0 } }
}

extension TwinArguments {
  /// The picture that a function with two pipelines paints.
  var target: TextureMemory { colorAttachment ?? texture(1) }
}
