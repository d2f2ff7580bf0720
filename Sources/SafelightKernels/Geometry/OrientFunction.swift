internal import CKernelRows
internal import SafelightImage

extension Pass {
  /// Makes upright a picture of `size` that is stored as `orientation` says.
  static func orienting(_ orientation: Orientation, of size: Size) -> Pass {
    let places = orientation.places(in: size)
    return Pass(
      OrientFunction(orientation: orientation),
      uniforms: .words([
        places.right.x, places.below.x, places.first.x, 0, places.right.y, places.below.y, places.first.y, 0,
      ]), inputs: [.source(.placed(Placement(orientation: orientation)))])
  }
}

/// Takes each pixel from another place.
private struct OrientFunction: BuiltInPassFunction {
  let orientation: Orientation

  var name: String { "orient" }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch memory.output.pixelFormat.bytesPerPixel {
    case 1: unsafe move(memory, operations.reverse_1)
    case 2: unsafe move(memory, operations.reverse_2)
    case 4 where orientation.exchangesAxes: unsafe turn(memory, operations.turn_4)
    case 4: unsafe move(memory, operations.reverse_4)
    case 8 where orientation.exchangesAxes: unsafe turn(memory, operations.turn_8)
    default: unsafe move(memory, operations.reverse_8)
    }
  }

  /// Makes columns of rows, of pixels that have the size of `Pixel`.
  private func turn<Pixel: BitwiseCopyable>(
    _ memory: PassMemory,
    _ turn: (UnsafeMutablePointer<Pixel>, Int, UnsafePointer<Pixel>, Int, Int, Int) -> Void
  ) {
    let (source, output) = (memory.inputs[0], memory.output)
    func stride(_ picture: PictureMemory) -> Int { picture.bytesPerRow / MemoryLayout<Pixel>.stride }
    for tile in memory.region.tiles(width: Self.tileEdge, height: Self.tileEdge) {
      let (right, bottom) = (tile.x + tile.size.width - 1, tile.y + tile.size.height - 1)
      let first = orientation.sourcePosition(ofUprightX: tile.x, y: tile.y, in: source.size)
      let last = orientation.sourcePosition(ofUprightX: right, y: bottom, in: source.size)
      // The rows are made in the order of the source's columns, and the source's rows read in that of columns made.
      let rises = first.x <= last.x
      let made = unsafe output.pixel(x: tile.x, y: rises ? tile.y : bottom).assumingMemoryBound(to: Pixel.self)
      let pixels = unsafe source.pixel(x: min(first.x, last.x), y: first.y).assumingMemoryBound(to: Pixel.self)
      unsafe turn(
        made, rises ? stride(output) : -stride(output), pixels,
        first.y <= last.y ? stride(source) : -stride(source), tile.size.width, tile.size.height)
    }
  }

  /// The columns and rows of tiles, of which those of both pictures lie in the nearest cache where rows become columns.
  private static let tileEdge = 32

  /// Moves pixels that have the size of `Pixel`.
  private func move<Pixel: BitwiseCopyable>(
    _ memory: PassMemory, _ reverse: (UnsafeMutablePointer<Pixel>, UnsafePointer<Pixel>, Int) -> Void
  ) {
    let (source, output) = (memory.inputs[0], memory.output)
    let edge = orientation.exchangesAxes ? Self.tileEdge : 1 << 16
    for tile in memory.region.tiles(width: edge, height: edge) {
      for y in tile.y..<tile.y + tile.size.height {
        let made = unsafe output.pixel(x: tile.x, y: y).assumingMemoryBound(to: Pixel.self)
        let last = tile.size.width - 1
        let from = orientation.sourcePosition(ofUprightX: tile.x, y: y, in: source.size)
        let to = orientation.sourcePosition(ofUprightX: tile.x + last, y: y, in: source.size)
        let first = unsafe source.pixel(x: from.x, y: from.y)
        if from.y != to.y {
          let step = to.y > from.y ? source.bytesPerRow : -source.bytesPerRow
          for column in 0...last { unsafe made[column] = (first + column * step).load(as: Pixel.self) }
        } else if from.x <= to.x {
          unsafe made.update(from: first.assumingMemoryBound(to: Pixel.self), count: last + 1)
        } else {
          unsafe reverse(made, source.pixel(x: to.x, y: to.y).assumingMemoryBound(to: Pixel.self), last + 1)
        }
      }
    }
  }
}
