package import SafelightGPU
package import SafelightImage

/// A stage that can make a picture in bands of rows.
package protocol BandedStage: ImageStage {
  /// The filter's call.
  var call: String { get }

  /// The number of filters that the stage does the work of.
  var filterCount: Int { get }

  /// Checks what comes with a picture like `image`.
  ///
  /// - Throws: ``SafelightError`` if the values that numbers have at the picture's position contradict each other.
  func check(_ image: ImageDescriptor, beside input: StageInput?) throws(SafelightError)

  /// Returns the passes that the stage makes of a picture like `image` and of what comes with it, as people read them.
  ///
  /// - Throws: ``SafelightError`` as ``ImageStage/output(of:)`` does.
  func explained(for image: ImageDescriptor, beside input: StageInput?) throws(SafelightError) -> [ExplainedPass]

  /// Returns the bytes of all temporaries for a picture like `image`, and those of tables and numbers.
  ///
  /// - Throws: ``SafelightError`` as ``ImageStage/output(of:)`` does.
  func byteCounts(for image: ImageDescriptor) throws(SafelightError) -> StageByteCounts

  /// Returns the way of one picture like `image` through the stage in bands; nil if only whole pictures can be made.
  ///
  /// - Throws: ``SafelightError`` as ``ImageStage/output(of:)`` does.
  func bands(of image: ImageDescriptor) throws(SafelightError) -> (any StageBands)?

  /// Records the stage on the CPU without the look-up that ends it, which makes the rows of the result where they are
  /// needed; nil, with nothing recorded, if it ends in something else, or reads more than its picture.
  func encodeButRows(to buffer: CommandBuffer, source: TiledTexture) -> PassRows?
}

/// The bytes that a stage needs for a picture besides the picture and its result.
package struct StageByteCounts: Sendable {
  /// Those of temporaries, of which bands need only some rows.
  package var temporaries = 0
  /// Those of tables, numbers and second pictures, which bands need whole.
  package var fixed = 0

  package init() {}
}

/// The way of one picture through a stage in bands of rows. All of the picture comes several times, from the top down:
/// once for each survey, which finds numbers, then once for the result.
package protocol StageBands: Sendable {
  /// The number of surveys.
  var surveys: Int { get }

  /// Returns the rows of the picture that are needed for `rows`: for a survey of these rows of the picture, or for
  /// these rows of the result.
  func rows(for rows: Range<Int>, survey: Int?) -> Range<Int>

  /// Records what a survey needs before its first band, or the result if `survey` is nil.
  func begin(survey: Int?, in buffer: CommandBuffer)

  /// Records a survey of `rows` of the picture, of which `source` holds all that is needed. No row may come twice.
  func encode(survey: Int, of rows: Range<Int>, source: TiledTexture, to buffer: CommandBuffer)

  /// Records the making of the rows of the result that `destination` holds. `input` is what
  /// ``ImageStage/encode(to:source:input:destination:)`` gets.
  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture)

  /// The memory of the numbers that a stage with a measurement has found after its surveys; nil for other stages.
  var measured: Buffer? { get }
}

/// The way through a stage that makes each pixel from the pixel at its place.
package struct PointwiseBands: StageBands {
  private let stage: any ImageStage

  package init(_ stage: any ImageStage) { self.stage = stage }

  package var surveys: Int { 0 }
  package var measured: Buffer? { nil }
  package func rows(for rows: Range<Int>, survey: Int?) -> Range<Int> { rows }
  package func begin(survey: Int?, in buffer: CommandBuffer) {}
  package func encode(survey: Int, of rows: Range<Int>, source: TiledTexture, to buffer: CommandBuffer) {}

  package func encode(
    to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture
  ) {
    stage.encode(to: buffer, source: source, input: input, destination: destination)
  }
}
