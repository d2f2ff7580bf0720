package import SafelightGPU
public import SafelightImage
package import SafelightShaders

/// A step of a kernel as a plain value: a function, what it reads, and what it makes.
///
/// A kernel says which passes it makes of a picture. The engine records them for either executor: it knows which pixels
/// each pass needs, so a kernel knows nothing of tiles, parts and temporaries' textures.
public struct Pass: Hashable, Sendable {
  /// The shader's body and its twin.
  package var function: any PassFunction
  /// The std140 block at 2 that both bodies read; empty for none.
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

  /// A picture that a function reads, as `uvec4 NAME(int x, int y)` next to the pixel that is made, and as
  /// `uvec4 NAME(ivec2 position)` anywhere in its footprint. One with the footprint ``Footprint/whole`` it reads in the
  /// second way alone, and never beyond the edges. Numbers are read as `uint NAME(uint word)`.
  package struct Input: Hashable, Sendable {
    package var name: String
    package var resource: Resource
    package var footprint: Footprint
    package var edge: ImageEdgeMode

    package init(_ name: String, _ resource: Resource, _ footprint: Footprint, edge: ImageEdgeMode = .clamp) {
      self.name = name
      self.resource = resource
      self.footprint = footprint
      self.edge = edge
    }

    /// The kernel's picture, `source` in the shader.
    package static func source(_ footprint: Footprint, edge: ImageEdgeMode = .clamp) -> Self {
      Self("source", .picture, footprint, edge: edge)
    }

    /// A table, `name` in the shader.
    package static func table(_ name: String, _ table: some PassTable) -> Self {
      Self(name, .table(Table(table)), .whole)
    }

    /// The table that an earlier pass made, `name` in the shader.
    package static func madeTable(_ name: String, _ number: Int) -> Self { Self(name, .madeTable(number), .whole) }

    /// The words that an earlier pass made, `name` in the shader.
    package static func numbers(_ name: String, _ number: Int) -> Self { Self(name, .numbers(number), .whole) }

    /// The words that the same pass made so many pictures before, `name` in the shader.
    package static func earlier(_ name: String, _ number: Int, pictures: Int) -> Self {
      Self(name, .earlier(number, pictures: pictures), .whole)
    }

    /// The first further picture, `second` in the shader.
    package static func second(_ footprint: Footprint, edge: ImageEdgeMode = .clamp) -> Self {
      Self("second", .further(0), footprint, edge: edge)
    }
  }

  /// What a function makes. All but temporaries stay for the passes of every later result; passes make them in their
  /// order, all passes for one before the next.
  package enum Output: Hashable, Sendable {
    /// The kernel's result of this number. Results are made in their order.
    case result(Int)
    /// A picture for later passes, by default as large as the first input.
    case temporary(Int, PixelFormat, Size? = nil)
    /// A table of this size in the format `rgba16Uint`, in one pass.
    case table(Int, Size)
    /// Words of 32 bits, in one pass over all of the first input, a picture of the kernel, or over other words.
    case numbers(Int, [Numbers])
  }

  /// Words of one rule, which says what each becomes of the values that it gets, in any order.
  package struct Numbers: Hashable, Sendable {
    package let rule: NumberRule
    package let count: Int

    package init(_ rule: NumberRule, count: Int) {
      self.rule = rule
      self.count = count
    }
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
    _ function: any PassFunction, uniforms: [UInt8] = [], inputs: [Input], output: Output = .result(0),
    area: Region? = nil, threadgroups: Size = Size(1, 1)
  ) {
    self.area = area
    self.threadgroups = threadgroups
    self.function = function
    self.uniforms = uniforms
    self.inputs = inputs
    self.output = output
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

  package init(_ image: ImageDescriptor, _ pixelFormat: PixelFormat? = nil) {
    self.image = image
    self.pixelFormat = pixelFormat ?? image.pixelFormat
  }

  /// The columns and rows.
  package var size: Size { image.size }
}

/// A function of passes with two bodies. Its properties are compiled in: equal functions share a program. All else both
/// bodies read from the uniforms and inputs of their pass.
package protocol PassFunction: Hashable, Sendable {
  /// The name in captures and labels, and by default that of the shader file.
  var name: String { get }
  /// The order of pixels.
  var kind: Pass.Kind { get }
  /// The shader's body, which defines what ``kind`` says.
  var body: ShaderText { get }
  /// The body with texts around it.
  var texts: [ShaderText] { get }
  /// The properties as macros of the body.
  var constants: [ShaderAssembly.Constant] { get }

  /// The same function in other ways, for devices that differ in what is fast; all make the same.
  var variants: [Self] { get }
  /// Returns the one of ``variants`` that is fastest on a device.
  func variant(on device: DeviceInfo) -> Self

  /// False if the function runs only on OpenGL ES, so that ``make(_:)`` is never called.
  var hasTwin: Bool { get }

  /// The twin: makes the pixels of `memory`'s region. Several calls work at once, each on rows of its own. One of
  /// ``Pass/Kind/numbers(_:)`` adds what the pixels of the region give to the output's words; one of
  /// ``Pass/Kind/threadgroups`` is called once for all.
  func make(_ memory: PassMemory)

  /// Returns a pass that makes what `next` makes of the pixels of `pass`, which has this function; nil if only both
  /// passes do. Both have the kind ``Pass/Kind/pixels``, and `next` reads each pixel at its place.
  func joined(_ pass: Pass, with next: Pass) -> Pass?
}

extension PassFunction {
  package var kind: Pass.Kind { .pixels }
  /// This package's file with the function's name.
  package var body: ShaderText {
    guard let source = ShaderSource(named: name) else {
      trap("the function '\(name)' has no \(name).glsl in Shaders/; add it, or give the function a body")
    }
    return ShaderText(source)
  }
  package var texts: [ShaderText] { [body] }
  package var constants: [ShaderAssembly.Constant] { [] }
  package var variants: [Self] { [self] }
  package func variant(on device: DeviceInfo) -> Self { self }
  package var hasTwin: Bool { true }
  package func joined(_ pass: Pass, with next: Pass) -> Pass? { nil }

  fileprivate func isEqual(to other: any PassFunction) -> Bool { self == other as? Self }
}

/// A look-up table that the CPU works out for both bodies of a function.
package protocol PassTable: Hashable, Sendable {
  /// The columns and rows of the entries; no more than a texture of every device holds.
  var size: Size { get }

  /// Works out the entries, row by row: four unsigned integers of 16 bits each.
  func entries() -> [UInt16]
}

extension Pass {
  /// A table among the resources of passes. Equal tables share a texture.
  package struct Table: Hashable, Sendable {
    let value: any PassTable

    init(_ value: any PassTable) { self.value = value }

    package static func == (one: Table, other: Table) -> Bool { one.value.isEqual(to: other.value) }
    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
  }
}

extension Pass {
  /// A picture among the resources of passes. Equal pictures share a texture.
  package struct Constant: Hashable, Sendable {
    let image: Image

    package init(_ image: Image) { self.image = image }

    /// Hashes what the picture is like: all of its samples would take long.
    package func hash(into hasher: inout Hasher) { hasher.combine(image.descriptor) }
  }
}

extension PassTable {
  fileprivate func isEqual(to other: any PassTable) -> Bool { self == other as? Self }
}
