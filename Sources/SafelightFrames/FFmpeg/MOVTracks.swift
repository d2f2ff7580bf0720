internal import SafelightImage

/// The tracks of a QuickTime or MP4 file, by its header (ISO/IEC 14496-12).
struct MOVTracks {
  private var ends: [Int: MediaTime] = [:]

  /// Reads the header; finds no tracks in other files, and in fragmented ones, whose header does not say when they end.
  init(of file: PNGBytes) {
    func number(_ count: Int, at place: Int) -> Int? {
      guard place + count <= file.count, let bytes = try? file.read(place..<place + count) else { return nil }
      return Int(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    /// Returns the contents of the boxes of a kind in `range`.
    func boxes(_ kind: String, in range: Range<Int>) -> [Range<Int>] {
      var (found, place): ([Range<Int>], Int) = ([], range.lowerBound)
      while place + 8 <= range.upperBound, var length = number(4, at: place),
        let name = try? file.read(place + 4..<place + 8)
      {
        var header = 8
        if length == 1 { (length, header) = (number(8, at: place + 8) ?? 0, 16) }
        if length == 0 { length = range.upperBound - place }
        guard length >= header, length <= range.upperBound - place else { break }
        if name.elementsEqual(kind.utf8) { found.append(place + header..<place + length) }
        place += length
      }
      return found
    }
    /// Returns whether the times and durations of a box have 64 bits: its version.
    func isLong(_ box: Range<Int>) -> Bool { number(1, at: box.lowerBound) == 1 }
    guard let movie = boxes("moov", in: 0..<file.count).first, let header = boxes("mvhd", in: movie).first,
      let timescale = number(4, at: header.lowerBound + (isLong(header) ? 20 : 12)).flatMap({ Int32(exactly: $0) }),
      timescale > 0
    else { return }
    for track in boxes("trak", in: movie) {
      guard let header = boxes("tkhd", in: track).first, case let isLong = isLong(header),
        let track = number(4, at: header.lowerBound + (isLong ? 20 : 12)),
        let duration = isLong ? number(8, at: header.lowerBound + 28) : number(4, at: header.lowerBound + 20)
      else { continue }
      // All ones: unknown.
      guard duration > 0, duration < 1 << 62, isLong || duration != Int(UInt32.max) else { continue }
      ends[track] = MediaTime(value: Int64(duration), timescale: timescale)
    }
  }

  /// Returns the time at which a track ends, counted from the beginning of the film; nil if the file does not say.
  func end(ofTrack number: Int) -> MediaTime? { ends[number] }
}
