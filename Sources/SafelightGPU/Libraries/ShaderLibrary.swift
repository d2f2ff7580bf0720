internal import Glibc
public import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// Functions by name; Metal's `MTLLibrary`.
///
/// Its texts are GLSL without a `#version` line, each function with a `main` of its own. They see the package's prelude
/// (precisions), may include the package's texts (`#include "Common/compute.glsl"`) and files beside them, and are read once:
/// later changes of files do not change the library. Safe to use from any thread.
public final class ShaderLibrary: Sendable {
  /// A name for messages.
  public let label: String
  /// What can be made, in alphabetical order.
  public let functionNames: [String]

  private let entries: [String: LibrarySource.Entry]
  private let options: CompileOptions
  private let made = Mutex<[Key: ShaderFunction]>([:])

  private struct Key: Hashable {
    let name: String
    let constants: FunctionConstantValues
  }

  init(_ sources: [LibrarySource], options: CompileOptions, label: String) throws(SafelightError) {
    var entries: [String: LibrarySource.Entry] = [:]
    for entry in sources.flatMap(\.entries) {
      if let other = entries.updateValue(entry, forKey: entry.name) {
        throw SafelightError(
          .input, "library '\(label)'",
          why: "function '\(entry.name)' is in \(other.parts[0].name) and in \(entry.parts[0].name)",
          remedy: "rename one of them")
      }
    }
    self.entries = entries
    self.options = options
    self.label = label
    functionNames = entries.keys.sorted()
  }

  /// Makes a function with values for its constants; equal values give the same function.
  ///
  /// Throws where there is none of that name, where an include cannot be followed, and where its declarations
  /// cannot be read. The compiler's errors come with the pipeline.
  public func makeFunction(
    name: String, constantValues: FunctionConstantValues = FunctionConstantValues()
  ) throws(SafelightError) -> ShaderFunction {
    let key = Key(name: name, constants: constantValues)
    if let known = made.withLock({ $0[key] }) { return known }
    guard let entry = entries[name] else {
      throw SafelightError(
        .usage, "library '\(label)'", why: "it has no function '\(name)'",
        remedy: "take one of \(functionNames.joined(separator: ", "))")
    }
    let own = constantValues.constants
    let macros = options.preprocessorMacros.constants.filter { macro in !own.contains { $0.name == macro.name } }
    let function = ShaderFunction(
      name: name, assembly: ShaderAssembly(entry.parts, constants: macros + own), functionType: entry.type)
    _ = try function.reflection(entry.type == .kernel || entry.type == nil ? .standard : nil)
    return made.withLock { made in
      // Another thread may have been first: its function has the programs.
      if let known = made[key] { return known }
      made[key] = function
      return function
    }
  }
}

extension ShaderLibrary {
  /// A text that came as a string.
  convenience init(source: String, options: CompileOptions) throws(SafelightError) {
    let text = ShaderText(name: options.name, contents: source, folder: options.includeFolder)
    try self.init([try LibrarySource(text, name: options.name, type: nil)], options: options, label: options.name)
  }

  /// A file, or all files of a folder that end in `.comp`, `.vert` or `.frag`; others are there to be included.
  convenience init(filepath path: String, options: CompileOptions) throws(SafelightError) {
    var sources: [LibrarySource] = []
    for file in try LibraryFolder.files(at: path) { sources.append(try LibrarySource(reading: file)) }
    try self.init(sources, options: options, label: path)
  }

  /// The kernels of this package. Their texts say which constants they take; `SAMPLE_BITS` is 8 or 16.
  static func builtIn() throws(SafelightError) -> ShaderLibrary {
    let kernels: [ShaderSource] = [
      .histogramGlobal, .histogramShared, .histogramPrivate, .histogramExtrema, .claheCount, .claheTransform,
    ]
    // Those that read no picture.
    let others: [ShaderSource] = [
      .histogramRange, .histogramEdges, .specificationSums, .specificationTransform, .temporalDistance, .temporalSum,
      .equalizationTransform, .stretchTransform,
    ]
    let points: [ShaderSource] = [
      .passthrough, .saturation, .vibrance, .colorMatrix, .premultiply, .unpremultiply, .lookup, .threshold, .colorCube,
      .equalizationApply, .equalizationGain, .claheApply,
    ]
    let fragments: [ShaderSource] = [.yCbCrToRGB, .rgbToYCbCr]
    var entries = kernels.map { LibrarySource.Entry($0.functionName, .kernel, [.pixels, $0]) }
    entries += others.map { LibrarySource.Entry($0.functionName, .kernel, [$0]) }
    entries += fragments.map { LibrarySource.Entry($0.functionName, .fragment, [.pixels, $0]) }
    for point in points {
      entries.append(LibrarySource.Entry(point.functionName, .kernel, [.pixels, point, .pointCompute]))
      entries.append(
        LibrarySource.Entry("\(point.functionName)_fragment", .fragment, [.pixels, point, .pointFragment]))
    }
    entries.append(LibrarySource.Entry("full_screen", .vertex, [.fullScreen]))
    return try ShaderLibrary([LibrarySource(entries: entries)], options: CompileOptions(), label: "default")
  }
}

extension LibrarySource {
  fileprivate init(entries: [Entry]) { self.entries = entries }
}

extension LibrarySource.Entry {
  fileprivate init(_ name: String, _ type: ShaderFunction.FunctionType, _ sources: [ShaderSource]) {
    self.init(name: name, type: type, parts: [ShaderText(including: sources, name: name)])
  }
}

extension ShaderSource {
  /// The file's name without folder and extension.
  fileprivate var functionName: String {
    let file = rawValue.split(separator: "/").last ?? ""
    return String(file.prefix { $0 != "." })
  }
}

/// Cuts a text into its functions.
///
/// A line `#pragma kernel blur` (or `vertex`, `fragment`) begins the function `blur`, which ends at the next such line. What
/// stands before the first belongs to all of them. A text without such a line is one function.
struct LibrarySource {
  /// A function that has not been read yet.
  struct Entry: Sendable {
    let name: String
    let type: ShaderFunction.FunctionType?
    let parts: [ShaderText]
  }

  let entries: [Entry]

  /// Reads `text`, whose only function, where it marks none, is `name`.
  init(_ text: ShaderText, name: String, type: ShaderFunction.FunctionType?) throws(SafelightError) {
    let rows = text.contents.split(omittingEmptySubsequences: false) { $0.isNewline }
    var marks: [(line: Int, type: ShaderFunction.FunctionType, name: String)] = []
    for (line, row) in rows.enumerated() {
      let words = row.split { $0 == " " || $0 == "\t" }
      guard words.count >= 2, words[0] == "#pragma", let type = ShaderFunction.FunctionType(rawValue: String(words[1]))
      else { continue }
      guard words.count == 3 else {
        throw SafelightError(
          .input, "\(text.name):\(line + 1)", why: "'\(row)' names no function",
          remedy: "write #pragma \(words[1]) name")
      }
      let name = String(words[2])
      if let other = marks.first(where: { $0.name == name }) {
        throw SafelightError(
          .input, "\(text.name):\(line + 1)", why: "function '\(name)' begins on line \(other.line + 1) already",
          remedy: "rename one of them")
      }
      marks.append((line, type, name))
    }
    guard let first = marks.first else {
      entries = [Entry(name: name, type: type, parts: [text])]
      return
    }
    let ends = marks.dropFirst().map(\.line) + [rows.count]
    entries = zip(marks, ends).map { mark, end in
      Entry(
        name: mark.name, type: mark.type,
        parts: [text.cut(to: 0..<first.line), text.cut(to: mark.line + 1..<end)])
    }
  }

  /// Reads a file; its only function, where it marks none, has the file's name without the extension.
  init(reading path: String) throws(SafelightError) {
    guard let text = ShaderText(reading: path) else {
      throw SafelightError(.missingInput, path, why: "it cannot be read", remedy: "name a file or a folder of shaders")
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    try self.init(text, name: String(file[..<dot]), type: Self.types[String(file[dot...])])
  }

  /// The stages that the extensions of the reference compiler mean.
  static let types: [String: ShaderFunction.FunctionType] = [
    ".comp": .kernel, ".vert": .vertex, ".frag": .fragment,
  ]
}

/// Shader files on disk.
enum LibraryFolder {
  /// `path` itself where it is a file, else the functions' files in it, in alphabetical order.
  static func files(at path: String) throws(SafelightError) -> [String] {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw SafelightError(
        .missingInput, path, why: String(errno: errno), remedy: "name a file or a folder of shaders")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    guard let all = Folder.names(in: path) else {
      throw SafelightError(
        .missingInput, path, why: String(errno: errno), remedy: "make it a folder that you may read")
    }
    let names = all.filter { name in LibrarySource.types.keys.contains { name.hasSuffix($0) } }
    guard !names.isEmpty else {
      throw SafelightError(
        .missingInput, path, why: "it holds no file that ends in .comp, .vert or .frag",
        remedy: "name the folder of the shaders")
    }
    return names.sorted().map { "\(path)/\($0)" }
  }
}

/// How the texts of a library are read; Metal's `MTLCompileOptions`.
public struct CompileOptions: Hashable, Sendable {
  /// Macros for all functions; a function's own constants go before them.
  public var preprocessorMacros = FunctionConstantValues()
  /// The folder in which a text that came as a string looks for its includes; nil for none.
  public var includeFolder: String?
  /// The name in messages of a text that came as a string, and of its function where it marks none.
  public var name = "source"

  /// Makes options.
  public init() {}
}

/// Values for the constants of a function; Metal's `MTLFunctionConstantValues`.
///
/// GLSL has no constants that are set after compilation: each becomes a `#define` in front of the text.
public struct FunctionConstantValues: Hashable, Sendable {
  private var values: [String: ShaderAssembly.Constant] = [:]

  /// Makes an empty set.
  public init() {}

  /// Sets an integer.
  public mutating func setConstantValue(_ value: Int32, withName name: String) {
    set(ShaderAssembly.Constant(name, Int(value)))
  }

  /// Sets an unsigned integer, written with `u`; for `#if` take an integer.
  public mutating func setConstantValue(_ value: UInt32, withName name: String) {
    set(ShaderAssembly.Constant(name, value))
  }

  /// Sets a float, every value of which the text gives back.
  public mutating func setConstantValue(_ value: Float, withName name: String) {
    set(ShaderAssembly.Constant(name, value))
  }

  /// Sets 1 or 0: `#if NAME`, and `bool(NAME)` in an expression.
  public mutating func setConstantValue(_ value: Bool, withName name: String) {
    set(ShaderAssembly.Constant(name, value))
  }

  private mutating func set(_ constant: ShaderAssembly.Constant) {
    let name = constant.name.utf8
    let isWord = name.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
    }
    trap(
      unless: isWord && name.first.map { $0 > UInt8(ascii: "9") } == true && !constant.name.hasPrefix("GL_")
        && !constant.name.contains("__"),
      "'\(constant.name)' cannot name a constant; use letters, digits and single underscores, not GL_ at the head")
    values[constant.name] = constant
  }

  /// In one order, so that equal sets give equal texts.
  var constants: [ShaderAssembly.Constant] { values.sorted { $0.key < $1.key }.map(\.value) }
}
