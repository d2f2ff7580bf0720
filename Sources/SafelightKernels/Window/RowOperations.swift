internal import CKernelRows
internal import SafelightImage

/// The operations of C on rows, for this processor.
enum RowOperations {
  /// `nonisolated(unsafe)`: a table of functions that nothing changes.
  nonisolated(unsafe) static let best: CKernelRows = {
    guard let table = unsafe ckernel_rows(0) else { trap("no processor lacks the baseline's operations") }
    return unsafe table.pointee
  }()
}

/// The pixels of a row that a window needs, some of which may lie beyond the edges of the picture.
struct PaddedLine {
  /// The columns that lie in the picture.
  let columns: Range<Int>
  /// The pixels beyond the left edge.
  let before: Int
  /// All pixels.
  let count: Int

  /// The pixels of `region` and `radius` more to each side, in a picture of `source`'s size.
  init(_ region: Region, radius: Int, of source: PictureMemory) {
    let (first, end) = (region.x - radius, region.x + region.size.width + radius)
    columns = max(0, first)..<min(source.size.width, end)
    before = columns.lowerBound - first
    count = end - first
  }

  /// Fills what lies beyond the edges of `line`, of `step` samples a pixel.
  func pad<Sample: UnsignedSample>(_ line: UnsafeMutablePointer<Sample>, _ step: Int, _ edge: ImageEdgeMode) {
    let (held, end) = (before * step, (before + columns.count) * step)
    for place in 0..<held { unsafe line[place] = edge == .zero ? 0 : line[held + place % step] }
    for place in end..<count * step {
      unsafe line[place] = edge == .zero ? 0 : line[end - step + (place - end) % step]
    }
  }
}

extension PassMemory {
  /// Calls `body` until all samples of the region are made: with the address of samples of a row to make, with the
  /// addresses of those at the same place in each of the 2 · `rows` + 1 rows around, from the uppermost down, and with
  /// their number.
  ///
  /// The samples of `columns` more pixels lie before and behind. The first input's footprint must be a window of as
  /// many columns and rows, or more. Only near the left and the right edge of the picture `body` reads copies,
  /// elsewhere the picture itself.
  func forEachWindowRow<Sample: UnsignedSample>(
    _ type: Sample.Type, columns: Int, rows: Int, edge: ImageEdgeMode = .clamp,
    _ body: (UnsafeMutablePointer<Sample>, [UnsafePointer<Sample>], Int) -> Void
  ) {
    let (source, start, end) = (inputs[0], region.x, region.x + region.size.width)
    let window = Footprint.window(columns: columns, rows: rows)
    trap(
      unless: source.region.contains(window.needed(for: region, in: source.size)),
      "a twin reads \(columns) columns and \(rows) rows around, and the footprint of its first input is smaller")
    // As many pixels as fill a vector, so that nothing is made sample by sample.
    let least = max(columns, 64)
    let left = start < columns ? min(end, start + least) : start
    let right = end + columns > source.size.width ? max(start, end - least) : end
    let (inner, edges) = left < right ? (left..<right, [start..<left, right..<end]) : (start..<start, [start..<end])
    let copies = edges.filter { !$0.isEmpty }.map {
      PaddedRows<Sample>($0, reach: (columns, rows), of: source, edge, from: region.y)
    }
    let zeros = [Sample](repeating: 0, count: edge == .zero ? (inner.count + 2 * columns) * source.step : 0)
    for y in region.y..<region.y + region.size.height {
      func make(_ columns: Range<Int>, _ window: [UnsafePointer<Sample>]) {
        let made = unsafe output.row(Sample.self, x: columns.lowerBound, y: y, count: columns.count)
        if let first = made.baseAddress { unsafe body(first, window, made.count) }
      }
      if !inner.isEmpty {
        unsafe zeros.withUnsafeBufferPointer { zeros in
          let window = unsafe (y - rows...y + rows).compactMap { y in
            if edge == .zero, !(0..<source.size.height).contains(y) {
              return unsafe zeros.baseAddress.map { unsafe $0 + columns * source.step }
            }
            let y = min(max(y, 0), source.size.height - 1)
            return unsafe UnsafePointer(source.row(Sample.self, x: left, y: y, count: inner.count).baseAddress)
          }
          unsafe make(inner, window)
        }
      }
      for copy in copies { unsafe make(copy.columns, copy.rows(around: y)) }
    }
  }
}

/// Copies of the parts of rows that windows at some columns need, with what lies beyond the edges of the picture.
@safe private final class PaddedRows<Sample: UnsignedSample> {
  let columns: Range<Int>
  private let reach: (columns: Int, rows: Int)
  private let source: PictureMemory
  private let edge: ImageEdgeMode
  private let line: PaddedLine
  /// 2 · reach + 1 rows, which take turns.
  private let samples: UnsafeMutableBufferPointer<Sample>
  /// The lowest row that is copied.
  private var last: Int

  /// Prepares for windows, of `reach` to each side, of rows from `y` on.
  init(
    _ columns: Range<Int>, reach: (columns: Int, rows: Int), of source: PictureMemory, _ edge: ImageEdgeMode,
    from y: Int
  ) {
    self.columns = columns
    self.reach = reach
    self.source = source
    self.edge = edge
    line = PaddedLine(
      Region(x: columns.lowerBound, y: y, width: columns.count, height: 1), radius: reach.columns, of: source)
    unsafe samples = .allocate(capacity: (2 * reach.rows + 1) * line.count * source.step)
    last = y - reach.rows - 1
  }

  deinit { unsafe samples.deallocate() }

  /// Returns the addresses of the samples at the first column in the rows around row `y`, which is the one after the
  /// last that was asked for.
  func rows(around y: Int) -> [UnsafePointer<Sample>] {
    while last < y + reach.rows {
      last += 1
      let row = min(max(last, 0), source.size.height - 1)
      let held = unsafe source.row(Sample.self, x: line.columns.lowerBound, y: row, count: line.columns.count)
      guard let target = unsafe address(ofRow: last), let first = held.baseAddress else { return unsafe [] }
      if edge == .zero, row != last {
        unsafe target.initialize(repeating: 0, count: line.count * source.step)
      } else {
        unsafe (target + line.before * source.step).initialize(from: first, count: held.count)
        unsafe line.pad(target, source.step, edge)
      }
    }
    return unsafe (y - reach.rows...y + reach.rows).compactMap { row in
      unsafe address(ofRow: row).map { unsafe UnsafePointer($0 + reach.columns * source.step) }
    }
  }

  private func address(ofRow row: Int) -> UnsafeMutablePointer<Sample>? {
    unsafe samples.baseAddress.map {
      unsafe $0 + (row + reach.rows) % (2 * reach.rows + 1) * line.count * source.step
    }
  }
}
