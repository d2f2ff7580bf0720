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
    case 4: unsafe move(memory, operations.reverse_4)
    default: unsafe move(memory, operations.reverse_8)
    }
  }

  /// Moves pixels that have the size of `Pixel`.
  private func move<Pixel: BitwiseCopyable>(
    _ memory: PassMemory, _ reverse: (UnsafeMutablePointer<Pixel>, UnsafePointer<Pixel>, Int) -> Void
  ) {
    let (source, output) = (memory.inputs[0], memory.output)
    // Where rows become columns, tiles of both pictures lie in the nearest cache.
    let edge = orientation.exchangesAxes ? 32 : 1 << 16
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
