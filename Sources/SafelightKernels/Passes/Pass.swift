public import SafelightImage

/// A step of a kernel as a plain value: a function, what it reads, and what it makes.
///
/// A kernel says which passes it makes of a picture. The engine records them for either executor: it knows which pixels
/// each pass needs, so a kernel knows nothing of tiles, bands and the textures of temporaries.
public struct Pass: Hashable, Sendable {
  /// The shader's body and its twin.
  package var function: any PassFunction
  /// The std140 block at binding 2 that both bodies read; empty for none.
  package var uniforms: [UInt8]
  /// The pictures that the function reads, by their names in the shader.
  package var inputs: [Input]
  /// What the function makes.
  package var output: Output
  /// The pixels of a result that the pass makes, while all others stay as they are; nil for all pixels.
  package var area: Region?
  /// The threadgroups side by side and one above the other, for the kind ``Kind/threadgroups``.
  package var threadgroups: Size

  /// A picture among the passes of a kernel.
  package enum Resource: Hashable, Sendable {
    /// The kernel's picture.
    case picture
    /// Another picture that the kernel is given, under this number.
    case further(Int)
    /// The picture that says how much of a filter's result stays, of the size and format of the kernel's picture.
    case mask
    /// A picture that is the same for all pictures of a kernel.
    case constant(Constant)
    /// The result that earlier passes of the kernel made under this number.
    case result(Int)
    /// The picture that an earlier pass for the same result made under this number.
    case temporary(Int)
    /// A table that the CPU works out.
    case table(Table)
    /// The table that an earlier pass made under this number.
    case madeTable(Int)
    /// The words that an earlier pass made under this number.
    case numbers(Int)
    /// The words that the pass of this number made so many pictures of a sequence before; zeros if there was no such
    /// picture, or one of another size or format since.
    case earlier(Int, pictures: Int)
  }

  /// A picture that a function reads, or numbers.
  ///
  /// The shader reads a picture by `uvec4 NAME(int x, int y)`, the pixel so many columns to the right of the one that
  /// is made and so many rows below, and by `uvec4 NAME(ivec2 position)`; it must stay inside the footprint. It reads
  /// numbers by `uint NAME(uint word)`. The twin gets either from ``PassMemory/input(_:)``.
  public struct Input: Hashable, Sendable {
    package var name: String
    package var resource: Resource
    /// One that is ``Footprint/whole`` is read by positions alone, never beyond the edges.
    package var footprint: Footprint
    package var edge: ImageEdgeMode
    /// The count of the numbers that a table holds, and that are read of it; nil for a table of other entries.
    var wordCount: Int?

    package init(_ name: String, _ resource: Resource, _ footprint: Footprint, edge: ImageEdgeMode = .clamp) {
      self.name = name
      self.resource = resource
      self.footprint = footprint
      self.edge = edge
    }

    /// The kernel's picture.
    public static func source(
      _ footprint: Footprint, edge: ImageEdgeMode = .clamp, named name: String = "source"
    ) -> Self {
      Self(name, .picture, footprint, edge: edge)
    }

    /// The second picture, of the size and format of the first; the kernel's card says what it is.
    public static func second(
      _ footprint: Footprint, edge: ImageEdgeMode = .clamp, named name: String = "second"
    ) -> Self {
      Self(name, .further(0), footprint, edge: edge)
    }

    /// The picture that an earlier pass made as ``Output/temporary(_:_:)`` of this number.
    public static func temporary(
      _ name: String, _ number: Int, _ footprint: Footprint, edge: ImageEdgeMode = .clamp
    ) -> Self {
      Self(name, .temporary(number), footprint, edge: edge)
    }

    /// The words that an earlier pass made as ``Output/numbers(_:_:)`` of this number.
    public static func numbers(_ name: String, _ number: Int) -> Self { Self(name, .numbers(number), .whole) }

    /// A table, `name` in the shader.
    package static func table(_ name: String, _ table: some PassTable) -> Self {
      Self(name, .table(Table(table)), .whole)
    }

    /// The table that an earlier pass made, `name` in the shader.
    package static func madeTable(_ name: String, _ number: Int) -> Self { Self(name, .madeTable(number), .whole) }

    /// The words that the same pass made so many pictures before, `name` in the shader.
    package static func earlier(_ name: String, _ number: Int, pictures: Int) -> Self {
      Self(name, .earlier(number, pictures: pictures), .whole)
    }
  }

  /// The picture or the numbers that a function makes.
  public struct Output: Hashable, Sendable {
    /// All but temporaries stay for the passes of every later result; passes make them in their order, all passes for
    /// one before the next.
    package enum Target: Hashable, Sendable {
      /// The kernel's result of this number. Results are made in their order.
      case result(Int)
      /// A picture for later passes, by default as large as the first input.
      case temporary(Int, PixelFormat, Size?)
      /// A table of this size in the format `rgba16Uint`, in one pass.
      case table(Int, Size)
      /// Words of 32 bits, in one pass over all of the first input, a picture of the kernel, or over other words.
      case numbers(Int, [Numbers])
    }

    package let target: Target

    /// The kernel's result.
    public static let result = Output(target: .result(0))

    /// A picture for later passes, under a number from 0 on, as large as the first input. All temporaries come before
    /// the result for which they are made.
    ///
    /// `rgba32Uint` holds sums and products of up to 32 bits, whatever the picture's channels.
    public static func temporary(_ number: Int, _ pixelFormat: PixelFormat) -> Self {
      Self(target: .temporary(number, pixelFormat, nil))
    }

    /// Words of 32 bits that one pass makes of all pixels of the kernel's picture, under a number from 0 on. The words
    /// of all of `numbers` follow one another.
    public static func numbers(_ number: Int, _ numbers: [Numbers]) -> Self {
      Self(target: .numbers(number, numbers))
    }

    package static func result(_ number: Int) -> Self { Self(target: .result(number)) }

    package static func temporary(_ number: Int, _ pixelFormat: PixelFormat, _ size: Size?) -> Self {
      Self(target: .temporary(number, pixelFormat, size))
    }

    package static func table(_ number: Int, _ size: Size) -> Self { Self(target: .table(number, size)) }
  }

  /// Words of one rule, which says what each becomes of the values that it gets. Since no rule depends on the order of
  /// values, all devices make the same numbers.
  public struct Numbers: Hashable, Sendable {
    package let rule: NumberRule
    package let count: Int

    package init(_ rule: NumberRule, count: Int) {
      self.rule = rule
      self.count = count
    }

    /// Sums modulo 2³², a word each: `addNumber(word, value)` in the shader.
    public static func sums(_ count: Int) -> Self { Self(.sum, count: count) }
    /// Sums modulo 2⁶⁴, two words each, the lower half first: `addWideNumber(word, value)` with the first of them.
    public static func wideSums(_ count: Int) -> Self { Self(.wideSum, count: count) }
    /// Least values, or 2³² − 1 without any: `lowerNumber(word, value)`.
    public static func least(_ count: Int) -> Self { Self(.least, count: count) }
    /// Greatest values, or 0 without any: `raiseNumber(word, value)`.
    public static func greatest(_ count: Int) -> Self { Self(.greatest, count: count) }
  }

  /// What a word becomes of the values that it gets; the order of the values plays no part.
  package enum NumberRule: Hashable, Sendable {
    /// The sum, modulo 2³²: `addNumber` in the shader.
    case sum
    /// Two words each: the sum modulo 2⁶⁴, the lower half first: `addWideNumber`.
    case wideSum
    /// The least value, or 2³² − 1 without any: `lowerNumber`.
    case least
    /// The greatest value, or 0 without any: `raiseNumber`.
    case greatest
    /// The only value, or 0 without one: `setNumber`.
    case single
  }

  /// The order in which a function makes pixels.
  package enum Kind: Hashable, Sendable {
    /// Each by itself. The body defines `uvec4 pointKernel(uvec4 pixel)`; it gets the first input's pixel at the
    /// position that is made, or zeros if its place is another.
    case pixels
    /// Runs of at most `length` pixels along an axis, one after the other, so that what is known of a pixel serves the
    /// next. The body defines `void run(ivec2 first, int count)`, which calls `void store(ivec2 position, uvec4
    /// pixel)` for each; it reads its inputs by positions. OpenGL ES must be able to store to the output's format.
    case runs(Axis, length: Int)
    /// The pixels of the first input as they are, by a command that copies; there is no body.
    case copy
    /// Numbers of the pixels of the first input. The body defines `void begin()`, which all threads of a threadgroup
    /// call, `void take(uvec4 pixel)` for each pixel of a thread, and `void give()`, by which all hand on what they
    /// know at the end, through the functions of ``NumberRule``.
    case numbers(Visit = .automatic)
    /// Threadgroups of 64 threads in a row; for tables and numbers. The body defines `void main()`; it stores entries
    /// of a table by `void store(ivec2 position, uvec4 entry)`. Where numbers are made of a picture's pixels, it leaves
    /// out those for which `bool isVisited(ivec2 position)` is false.
    case threadgroups
  }

  /// The pixels that a thread of ``Kind/numbers(_:)`` visits. All visits give the same numbers.
  package enum Visit: Hashable, Sendable, CaseIterable {
    /// Lanes on renderers that run on the CPU, columns on GPUs.
    case automatic
    /// 64 threads side by side, each 64 pixels down.
    case columns
    /// 8 threads along long rows, each every eighth pixel: few threads, that hand on numbers seldom.
    case lanes
  }

  /// The direction of runs.
  package enum Axis: Hashable, Sendable {
    /// From left to right.
    case row
    /// Down.
    case column
  }

  package init(
    _ function: any PassFunction, uniforms: [UInt8], inputs: [Input], output: Output = .result, area: Region? = nil
  ) {
    self.init(function, uniforms: uniforms, inputs: inputs, output: output, threadgroups: Size(1, 1))
    self.area = area
  }

  package init(
    _ function: any PassFunction, uniforms: [UInt8] = [], inputs: [Input], output: Output, threadgroups: Size
  ) {
    self.function = function
    self.uniforms = uniforms
    self.inputs = inputs
    self.output = output
    self.threadgroups = threadgroups
  }

  /// Makes a pass.
  ///
  /// Its `uniforms` are the words of the std140 block at binding 2, which both bodies read; floats go in by their
  /// `bitPattern`. Words are added up to whole vectors of four. The first of the `inputs` is the picture whose pixel a
  /// body gets; all of a pass have names of their own.
  public init(
    _ function: any PassFunction, uniforms: [UInt32] = [], inputs: [Input], output: Output = .result
  ) {
    let padding = [UInt32](repeating: 0, count: -uniforms.count & 3)
    self.init(function, uniforms: .words((uniforms + padding).map(Int.init)), inputs: inputs, output: output)
  }

  /// Returns whether both do the same with the same functions.
  public static func == (one: Pass, other: Pass) -> Bool {
    one.function.isEqual(to: other.function) && one.uniforms == other.uniforms && one.inputs == other.inputs
      && one.output == other.output && one.area == other.area && one.threadgroups == other.threadgroups
  }

  /// Hashes all that makes passes differ.
  public func hash(into hasher: inout Hasher) {
    function.hash(into: &hasher)
    hasher.combine(uniforms)
    hasher.combine(inputs)
    hasher.combine(output)
    hasher.combine(area)
    hasher.combine(threadgroups)
  }
}

/// A picture of which a kernel makes something, and the format of the texture that holds it.
public struct PassPicture: Hashable, Sendable {
  /// The size, channels, depth and meaning.
  public let image: ImageDescriptor
  /// The format of the texture, which can be another than the descriptor's: `r16Unorm` instead of `r16Uint`.
  public let pixelFormat: PixelFormat
  /// The sizes of the second pictures; none where a kernel reads no more than one, which has the picture's size.
  package let secondSizes: [Size]
  /// The number that a ``TimedKernel`` makes of the frame's position, or the index of a frame with the same values over
  /// time; nil for kernels that make the same of all frames.
  package let moment: Int?

  package init(
    _ image: ImageDescriptor, _ pixelFormat: PixelFormat? = nil, secondSizes: [Size] = [], moment: Int? = nil
  ) {
    self.image = image
    self.pixelFormat = pixelFormat ?? image.pixelFormat
    self.secondSizes = secondSizes
    self.moment = moment
  }

  /// The columns and rows.
  package var size: Size { image.size }
  /// Returns the size of the second picture of this number.
  package func secondSize(_ number: Int) -> Size {
    secondSizes.indices.contains(number) ? secondSizes[number] : size
  }
}

extension PassFunction {
  fileprivate func isEqual(to other: any PassFunction) -> Bool { self == other as? Self }

  /// The function as one of this package; nil for another package's.
  var builtIn: (any BuiltInPassFunction)? { self as? any BuiltInPassFunction }
}

extension Pass {
  /// The order in which the function makes pixels.
  package var kind: Kind { function.builtIn?.kind ?? (output.resource.isNumbers ? .numbers() : .pixels) }
}
