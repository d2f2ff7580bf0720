internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

extension [Pass] {
  /// Returns the passes of a kernel whose results have these `formats`, with a table of the numbers that a draw reads.
  ///
  /// OpenGL ES 3.1 stores to no picture of one channel, so such a picture is drawn, and promises a fragment function no
  /// buffers (GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS is 0).
  func tablingNumbers(forResults formats: [PixelFormat]) -> [Pass] {
    let drawn = indices.filter { self[$0].output.format(formats).map { !$0.isStorable } ?? false }
    let read = Set(
      drawn.flatMap { self[$0].inputs }.compactMap { input in
        if case .numbers(let number) = input.resource { number } else { nil }
      })
    if read.isEmpty { return self }
    let known = compactMap { if case .table(let number, _) = $0.output.target { number } else { nil } }
    var next = (known.max() ?? -1) + 1
    var (tables, counts) = ([Int: Int](), [Int: Int]())
    var passes: [Pass] = []
    for (place, var pass) in enumerated() {
      if drawn.contains(place) {
        for input in pass.inputs.indices {
          guard case .numbers(let number) = pass.inputs[input].resource, let table = tables[number] else { continue }
          pass.inputs[input].resource = .madeTable(table)
          pass.inputs[input].wordCount = counts[number]
        }
      }
      passes.append(pass)
      guard case .numbers(let number, let numbers) = pass.output.target, read.contains(number) else { continue }
      let function = NumbersTable(words: numbers.map(\.words).reduce(0, +))
      passes.append(
        Pass(
          function, inputs: [.numbers("numbers", number)], output: .table(next, function.size),
          threadgroups: Size((function.words + 63) / 64, 1)))
      tables[number] = next
      counts[number] = function.words
      next += 1
    }
    return passes
  }
}

/// `numbers_table.glsl`: makes a table of numbers, whose entries hold a word each in two halves, the lower first.
private struct NumbersTable: BuiltInPassFunction {
  let words: Int

  var name: String { "numbers_table" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] { [.init("WORDS", UInt32(words)), .init("COLUMNS", UInt32(size.width))] }

  /// 2048 entries in a row: both sides are within every device's textures.
  var size: Size { Size(min(words, 2048), (words + 2047) / 2048) }

  func make(_ memory: PassMemory) {
    let (numbers, entries) = unsafe (memory.inputs[0].words, memory.output.entries())
    for word in 0..<words {
      unsafe entries[word] = SIMD4(UInt16(truncatingIfNeeded: numbers[word]), UInt16(numbers[word] >> 16), 0, 0)
    }
  }
}
