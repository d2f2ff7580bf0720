/// TIFF files of gray, or of several samples a pixel (TIFF 6.0, sections 2 to 6).
enum TIFF {
  /// Returns a file with a page for each of `pages`: rows of `width` pixels, each of `step` samples of 8 bits. `fields`
  /// are those besides size, place and depth, by their tags; a field of fractions lists both of their numbers.
  static func file(
    _ pages: [[UInt8]], width: Int, step: Int = 1, _ fields: [Int: [Int]], fractions: Set<Int> = []
  ) -> [UInt8] {
    var file = Array("II".utf8) + bytes([42], 2) + bytes([8], 4)
    for (number, samples) in pages.enumerated() {
      let rows = samples.count / width / step
      let all = fields.merging([
        256: [width], 257: [rows], 258: Array(repeating: 8, count: step), 273: [0], 277: [step], 278: [rows],
        279: [samples.count],
      ]) { $1 }.sorted { $0.key < $1.key }
      // Pixels lie behind the directory, and long fields behind the pixels.
      let pixels = file.count + 2 + 12 * all.count + 4
      var long: [UInt8] = []
      file += bytes([all.count], 2)
      for (tag, values) in all {
        let isFraction = fractions.contains(tag)
        file += bytes([tag, isFraction ? 5 : 4], 2) + bytes([isFraction ? values.count / 2 : values.count], 4)
        file += bytes(tag == 273 ? [pixels] : values.count == 1 ? values : [pixels + samples.count + long.count], 4)
        if values.count > 1 { long += bytes(values, 4) }
      }
      let end = pixels + samples.count + long.count
      file += bytes([number == pages.count - 1 ? 0 : end], 4) + samples + long
    }
    return file
  }

  private static func bytes(_ numbers: [Int], _ count: Int) -> [UInt8] {
    numbers.flatMap { number in (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
  }
}
