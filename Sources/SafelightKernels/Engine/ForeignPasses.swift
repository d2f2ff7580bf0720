internal import SafelightGPU
internal import SafelightImage

extension Pass {
  /// Checks a pass whose function is another package's, which the kernel `name` makes of `picture` for `results`. The
  /// CPU and OpenGL ES could make other bytes of a pass that fails a check.
  ///
  /// - Throws: ``SafelightError`` of kind `kernel`.
  func checkForeign(of name: String, _ picture: PassPicture, _ results: [PassPicture]) throws(SafelightError) {
    func require(_ condition: Bool, _ why: @autoclosure () -> String) throws(SafelightError) {
      try PassPlan.require(condition, "pass '\(function.name)' that makes \(output.resource) \(why())", of: name)
    }
    try require(!inputs.isEmpty, "reads nothing")
    // Half of the 16 textures, and the 16 KiB of a block, that every device has (GL_MAX_TEXTURE_IMAGE_UNITS,
    // GL_MAX_UNIFORM_BLOCK_SIZE).
    try require(inputs.count <= 8, "has \(inputs.count) inputs, and may have 8")
    try require(uniforms.count <= 16384, "has \(uniforms.count / 4) words of uniforms, and may have 4096")
    for input in inputs {
      try require(
        input.name.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil,
        "has an input '\(input.name)', which is no name in GLSL")
      if case .window(let left, let top, let right, let bottom) = input.footprint.extent {
        try require(
          [left, top, right, bottom].allSatisfy { (0...1 << 20).contains($0) },
          "has a footprint that is not of 0 to 2^20 columns and rows to each side")
      }
    }
    try require(Set(inputs.map(\.name)).count == inputs.count, "has two inputs of the same name")
    let numbers = inputs.count(where: \.resource.isNumbers)
    let room = uniforms.isEmpty ? 2 : 1
    try require(numbers <= room, "reads \(numbers) numbers, and has room for \(room); make them in one pass")
    let isBesideTemporaries = inputs.contains { if case .temporary = $0.resource { true } else { false } }
    switch output.target {
    case .numbers(_, let made):
      let count = made.reduce(0) { $0 + min(max($1.count, 0), 1 << 20) }
      try require(
        !made.isEmpty && made.allSatisfy { $0.count > 0 } && count <= 1 << 20, "makes no numbers, or more than 2^20")
      try require(!inputs[0].resource.isNumbers, "makes numbers, and its first input is no picture")
      try require(!isBesideTemporaries, "makes numbers of temporaries, which lie in parts")
    case .temporary(let number, let format, _):
      try require((0..<1000).contains(number), "has a number that is not from 0 to 999")
      let isSample = format.sampleKind == .normalized && format.bytesPerSample == picture.pixelFormat.bytesPerSample
      try require(
        format.samplesPerPixel != 2 && (format.sampleKind == .integer || isSample),
        "is of \(format.rawValue); choose integers of one or four channels, or the picture's own format")
      try require(numbers == 0, "reads numbers, which only passes for the result do")
    case .result, .table:
      try require(numbers == 0 || !isBesideTemporaries, "reads numbers beside temporaries, which lie in parts")
    }
    for picture in [picture] + results {
      let format = picture.pixelFormat
      try require(
        format.samplesPerPixel != 2 && [.integer, .normalized].contains(format.sampleKind)
          && format.bytesPerSample <= 2,
        "has a picture of \(format.rawValue); passes take 8 and 16 bits, of one or four channels")
    }
  }
}
