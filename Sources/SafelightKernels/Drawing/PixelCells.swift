internal import SafelightImage
internal import SafelightShaders

/// The squares into which a rectangle of a picture is cut from its upper left pixel on; the last are cut off at its
/// edges.
package struct PixelCells: Hashable, Sendable {
  /// The rectangle.
  let region: Region
  /// The columns and rows of a square.
  let edge: Int

  /// The squares side by side and one above the other.
  var size: Size { region.size.dividedCovering(Size(edge, edge)) }

  /// Returns the pixels of the squares in `cells`.
  func pixels(of cells: Region) -> Region {
    Region(
      x: region.x + edge * cells.x, y: region.y + edge * cells.y, width: edge * cells.size.width,
      height: edge * cells.size.height
    ).intersection(region)
  }

  /// Returns the squares that have pixels in `pixels`, a part of the rectangle.
  func cells(of pixels: Region) -> Region {
    let (x, y) = (pixels.x - region.x, pixels.y - region.y)
    return Region(
      from: (x / edge, y / edge),
      through: ((x + pixels.size.width - 1) / edge, (y + pixels.size.height - 1) / edge))
  }
}

extension Pass {
  /// Replaces each pixel of a rectangle by the mean of its cell: a picture of means, then the pixels.
  static func pixelating(_ cells: PixelCells, in picture: PassPicture) -> [Pass] {
    let region = cells.region
    let uniforms = [UInt8].words(
      [region.x, region.y, region.x + region.size.width, region.y + region.size.height, cells.edge, 0, 0, 0])
    return [
      Pass(
        PixelateFunction(makesMeans: true), uniforms: uniforms, inputs: [.source(.cell(cells))],
        output: .temporary(0, picture.pixelFormat, cells.size)),
      Pass(
        PixelateFunction(makesMeans: false), uniforms: uniforms,
        inputs: [Input("means", .temporary(0), .containingCell(cells))], area: region),
    ]
  }
}

/// `pixelate.glsl`: makes the mean of each cell, or takes that of the pixel's cell.
private struct PixelateFunction: BuiltInPassFunction {
  let makesMeans: Bool

  var name: String { "pixelate" }
  var constants: [ShaderAssembly.Constant] { [.init("MAKES_MEANS", makesMeans)] }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(memory, UInt8.self)
    case .bits16: make(memory, UInt16.self)
    }
  }

  private func make<Sample: UnsignedSample>(_ memory: PassMemory, _ type: Sample.Type) {
    let (made, words) = (memory.region, memory.uniforms.map { Int($0) })
    let cells = PixelCells(
      region: Region(x: words[0], y: words[1], width: words[2] - words[0], height: words[3] - words[1]), edge: words[4])
    for y in made.y..<made.y + made.size.height {
      let row = unsafe memory.output.row(type, x: made.x, y: y, count: made.size.width)
      if makesMeans {
        for x in 0..<made.size.width { unsafe mean(of: cells, made.x + x, y, memory, row, at: x) }
      } else {
        unsafe take(cells, from: memory.inputs[0], for: made, y, to: row)
      }
    }
  }

  /// Makes the mean of the cell in column `x` and row `y` of the cells, at a place in a row of means.
  private func mean<Sample: UnsignedSample>(
    of cells: PixelCells, _ x: Int, _ y: Int, _ memory: PassMemory, _ row: UnsafeMutableBufferPointer<Sample>,
    at place: Int
  ) {
    let (pixels, step) = (cells.pixels(of: Region(x: x, y: y, width: 1, height: 1)), memory.output.step)
    var sum = SIMD4<UInt32>()
    for y in pixels.y..<pixels.y + pixels.size.height {
      let samples = unsafe memory.inputs[0].row(Sample.self, x: pixels.x, y: y, count: pixels.size.width)
      for x in 0..<pixels.size.width {
        for channel in 0..<step { sum[channel] &+= unsafe UInt32(truncatingIfNeeded: samples[step * x + channel]) }
      }
    }
    let count = UInt32(pixels.size.area)
    for channel in 0..<step {
      unsafe row[step * place + channel] = Sample(truncatingIfNeeded: (sum[channel] + count / 2) / count)
    }
  }

  /// Sets the pixels of row `y` of `made` to the means of their cells.
  private func take<Sample: UnsignedSample>(
    _ cells: PixelCells, from means: PictureMemory, for made: Region, _ y: Int,
    to row: UnsafeMutableBufferPointer<Sample>
  ) {
    let held = cells.cells(of: Region(x: made.x, y: y, width: made.size.width, height: 1))
    let samples = unsafe means.row(Sample.self, x: held.x, y: held.y, count: held.size.width)
    let step = means.step
    for x in 0..<made.size.width {
      let cell = (made.x + x - cells.region.x) / cells.edge - held.x
      for channel in 0..<step { unsafe row[step * x + channel] = samples[step * cell + channel] }
    }
  }
}
