internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `curves`: ``ToneCurves`` from points or from a file.
struct CurvesFilter: ImageKernel {
  var points = line
  var red = line
  var green = line
  var blue = line
  /// The path of a file instead of points; empty for none.
  var file = ""

  private static let line = "0/0 1/1"

  static let card = KernelCard<Self>(
    "curves", "bends values along curves through points, or those of a file of Photoshop",
    discussion: """
      Points are written input/output, both from 0 to 1, with inputs that rise by 1/65536 or more and spaces between them; a curve has 2 or more. Between
      points it is a cubic that nowhere turns where the points do not (Fritsch and Carlson 1980), before the first and behind the
      last it is level. With h the distance of two points, m the slopes in them and t = (x - x0) / h:

          y = (2t^3 - 3t^2 + 1) * y0 + (t^3 - 2t^2 + t) * h * m0 + (3t^2 - 2t^3) * y1 + (t^3 - t^2) * h * m1

      A channel goes along its own curve first, then along that of all, as in GIMP and ffmpeg; in between nothing is rounded. At the end
      out = floor(y * maximum + 1/2). A file (.acv) has the curve of all first, then red, green and blue, in points of 0 to 255, which
      become those of 0 to 1; it is given alone. Photoshop draws other cubics through the same points, which may swing over them.
      Alpha stays. Curves of single channels refuse gray pictures.
      """,
    [
      .text("points", "the curve of all channels", \.points, form: form), .text("red", "red's own", \.red, form: form),
      .text("green", "green's own", \.green, form: form), .text("blue", "blue's own", \.blue, form: form),
      .file("file", "curves from a file instead", \.file, form: "an .acv file", isRequired: false),
    ],
    examples: [
      "curves=0/0 0.25/0.15 0.75/0.9 1/1",
      "curves=red=0/0.07 1/0.93:blue=0/0 0.5/0.4 0.6/0.8 1/1:points=0/0 0.3/0.5 1/1",
      "curves=file='data:;base64,AAQAAgADAAAAAABAAIAA/wD/AAIAEAAAAPAA/w=='",
    ], defects: .ofLookup("curves=red=0/0.07 1/0.93:points=0/0 0.3/0.5 1/1"))

  private static let form = "points as input/output from 0 to 1, such as 0/0 0.5/0.6 1/1"

  func makeStage(on device: Device, form: KernelForm) throws -> any ImageStage {
    let curves = try curves()
    return TileStage(
      lookingUp: curves.tables, of: Self.card.name, on: device, form: form, makesColors: curves.makesColors)
  }

  private func curves() throws -> ToneCurves {
    let texts = [("points", points), ("red", red), ("green", green), ("blue", blue)]
    guard !file.isEmpty else {
      let curves = try texts.map { try ToneCurve(points: $1, of: "curves=\($0)=\($1)") }
      return ToneCurves(all: curves[0], red: curves[1], green: curves[2], blue: curves[3])
    }
    if let given = texts.first(where: { $1 != Self.line }) {
      throw SafelightError(
        .usage, "curves=file=\(file):\(given.0)=\(given.1)", why: "curves come from a file or from points, not both",
        remedy: "leave out \(given.0), or file; two filters can follow each other")
    }
    return try ToneCurves(readingACV: file)
  }
}
