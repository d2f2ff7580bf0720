internal import SafelightImage
internal import SafelightKernels

/// `lut`: a table, a cube or both from a .cube file.
struct LookupFilter: PassKernel {
  var file = ""
  /// The table or the cube of the file; nil until ``prepared()`` has read it.
  private var table: CubeFile.Table?

  static let card = KernelCard<Self>(
    "lut", "looks colors up in a table from a .cube file",
    discussion: """
      LUT_1D_SIZE has a table for each channel, 2 to 65536 entries with straight lines between them, computed once for
      all values: out = floor(clamp(y, 0, 1) * maximum + 1/2).

      LUT_3D_SIZE has a cube of colors, 2 to 129 along each axis, kept in 16 bits. Per channel p = v * (size - 1), the
      cell is floor(p / maximum), its part f = p mod maximum. With f1 >= f2 >= f3 the parts in falling order and
      e0 ... e3 the corners of the cell from its least to its greatest, first along the axis of f1 (tetrahedral
      interpolation):

          out = floor(((maximum - f1)*e0 + (f1 - f2)*e1 + (f2 - f3)*e2 + f3*e3 + 32767) / 65535)

      With DOMAIN_MIN and DOMAIN_MAX positions come from a table:
      floor(clamp((x - min) / (max - min), 0, 1) * s + 1/2), s = 65535, in 8 bits 65280. Values outside the domain are
      clamped to it. Entries of a cube are clamped to 0 to 1 before they are mixed; a warning counts those outside.
      Alpha stays. Gray pictures refuse tables that differ between channels.

      A file with both sizes has the entries of the table first, which shapes x for the cube, each with its
      LUT_1D_INPUT_RANGE or LUT_3D_INPUT_RANGE. With LUT_IN_VIDEO_RANGE x is (64 + 876 * v / maximum) / 1023, and with
      LUT_OUT_VIDEO_RANGE entries e are (1023 * e - 64) / 876: the tables are of video range, and pictures stay full.

      file may be a data: address, data:,LUT_1D_SIZE 2%0A0 0 0%0A1 1 0.8, so that a chain needs no file.
      """,
    [.file("file", "the table", \.file, form: "a .cube file")],
    examples: [curves, cube, "lut=file='data:,DOMAIN_MIN 0.1 0 -0.2%0ADOMAIN_MAX 0.9 1.3 1%0A\(twist)'", shaped])

  private static let curves = "lut=file='data:,LUT_1D_SIZE 3%0A0 0.1 0%0A0.3 0.6 0.5%0A1 0.9 1'"
  private static let cube = "lut=file='data:,\(twist)'"

  private static let shaped =
    "lut=file='data:,LUT_IN_VIDEO_RANGE%0ALUT_1D_SIZE 2%0ALUT_3D_SIZE 2%0A0 0.1 0%0A1 0.9 1%0A\(corners)'"

  private static let twist = "LUT_3D_SIZE 2%0A\(corners)"
  /// Eight corners that move every axis differently, so that swapped axes are noticed.
  private static let corners = [
    "0.02 0.05 0", "0.9 0.1 0.3", "0.2 0.8 0.1", "0.7 1 0.4", "0.1 0 0.6", "0.8 0.2 1", "0.3 0.7 0.9", "1 0.94 0.97",
  ].joined(separator: "%0A")

  /// Returns warnings of the cubes in `calls` with entries outside 0 to 1.
  static func warnings(of calls: [FilterCall]) throws -> [String] {
    try calls.compactMap { call in
      guard call.name == card.name, case .text(let path) = call["file"],
        case let count = try CubeFile.cutEntries(of: path),
        count > 0
      else { return nil }
      let entries = count == 1 ? "1 entry of its cube lies" : "\(count) entries of its cube lie"
      return "\(InlineFile.name(path)): \(entries) outside 0 to 1 and are cut, which moves the colors near them"
    }
  }

  func prepared() throws -> Self {
    var filter = self
    filter.table = try CubeFile.read(file)
    return filter
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    switch table {
    case .channels(let curves): try image.refuseGray(for: Self.card.name, if: curves.makesColors)
    case .cube:
      try ensure(
        !image.channels.isGray, .unsupported, "filter 'lut'",
        why: "its cube needs a picture in color, and this one is gray",
        remedy: "use a table of one dimension, or a picture in color")
    case nil: break
    }
  }

  func passes(for picture: PassPicture) -> [Pass] {
    switch table {
    case .channels(let curves): [.lookUp(in: curves, picture.pixelFormat)]
    case .cube(let cube): [.lookUp(in: cube, picture.pixelFormat)]
    case nil: trap("lut was asked for its passes before it read its file; call prepared()")
    }
  }
}
