internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import SafelightShaders

/// `shader`: a user's kernel from a file of GLSL.
struct ShaderFilter: PassKernel {
  var file = ""
  /// The values of the file's settings, in their order.
  var values: [ParameterValue] = []
  /// The kernel in the file; nil until ``prepared()`` has read it.
  private var body: ShaderBody?

  static let card = KernelCard<Self>(
    "shader", "runs a kernel of your own, a file of GLSL",
    discussion: """
      The file defines uvec4 pointKernel(uvec4 pixel), which returns the new pixel. Samples are integers from 0 to
      MAXIMUM, which is 255 or 65535; results are clamped to that. Gray pictures have their gray in red, green and blue.
      neighbor(x, y) is the pixel x columns to the right and y rows below; #define RADIUS 3 sets the largest distance,
      up to 64, and the edge is repeated outward. pixelPosition() is the position of the pixel that is made.
      fetchPixel(source, ivec2(x, y)) is the pixel in column x and row y, however far, and textureSize(source, 0) the
      size; with these two, a picture must fit a texture. luma601(pixel) is the luma, SAMPLE_BITS is 8 or 16.

      A kernel may use all names but these, SOURCE_TEXTURE, THREADGROUP_WIDTH, THREADGROUP_HEIGHT, main and those that
      begin with safelight or SAFELIGHT. It is compiled for every depth before the first frame.

      The members of a block are parameters of the filter, with the range that is in the comment after each:

          layout(std140, binding = 2) uniform Settings {
            float amount;  // 0 to 1, default 0.3: how much of it
          };

      so that shader=FILE.glsl:amount=0.5 sets it. safelight new-kernel NAME.glsl writes such a file to start from.

      Nothing outside the picture is read, whatever it asks for. A kernel that never ends makes a GPU reset, which the
      run reports; a software renderer may cut a long loop short without a word. The file may be a data: address.

      Such a kernel has no Swift twin, so it needs OpenGL ES, and nothing proves that another driver makes the same
      bytes: integers do if they do not overflow, floats often differ in the last bit. safelight new-kernel NAME writes
      a package whose kernel has a twin.
      """,
    [.file("file", "the kernel", \.file, form: "a file of GLSL")],
    // No examples: without a twin, conformance has nothing to compare.
    examples: [])

  func prepared() throws -> Self {
    var filter = self
    filter.body = try Self.body(file)
    return filter
  }

  func makeStage(on device: Device, pipeline: PipelineKind) throws -> any ImageStage {
    let filter = try prepared()
    try filter.compile(on: device, pipeline: pipeline)
    return filter.makePassStage(on: device, pipeline: pipeline)
  }

  /// Compiles the kernel, which is prepared, so that a mistake is found before the first frame.
  func compile(on device: Device, pipeline: PipelineKind) throws {
    try body?.compile(on: device, pipeline: pipeline, values)
  }

  func passes(for picture: PassPicture) -> [Pass] {
    guard let body else { trap("shader was asked for its passes before it read its file; call prepared()") }
    return [body.pass(for: picture.pixelFormat, values)]
  }

  /// Returns the description of the filter with the parameters of a file.
  ///
  /// - Throws: ``SafelightError`` if the file cannot be read or is not a kernel.
  static func description(of file: String) throws -> FilterDescription {
    let card = FilterDescription(card)
    let parameters = try body(file).parameters
    if let name = parameters.first(where: { card.parameter($0.name) != nil })?.name {
      throw SafelightError(
        .input, "'\(name)' of \(InlineFile.name(file))", why: "the filter already has a parameter of that name",
        remedy: "give the setting another name")
    }
    return FilterDescription(
      name: card.name, summary: card.summary, discussion: card.discussion, parameters: card.parameters + parameters)
  }

  /// Returns the hash of a file with the files that it includes.
  static func hash(_ file: String) throws -> [UInt8] {
    SHA256.hash(Array(try ShaderAssembly([text(file)]).shader().text.utf8))
  }

  private static func body(_ file: String) throws -> ShaderBody { try ShaderBody(text(file)) }

  private static func text(_ file: String) throws -> ShaderText {
    let bytes = try InlineFile.read(file, limit: 1 << 20)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SafelightError(
        .input, InlineFile.name(file), why: "it is not UTF-8, so it cannot be GLSL", remedy: "name a text file")
    }
    let folder = file.hasPrefix("data:") ? nil : PathParts(file).folder
    return ShaderText(name: InlineFile.name(file), contents: text, folder: folder)
  }
}
