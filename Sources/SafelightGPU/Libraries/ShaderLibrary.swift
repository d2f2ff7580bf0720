internal import Glibc
public import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// Functions by name; Metal's `MTLLibrary`.
///
/// Its texts are GLSL without a `#version` line, and each function has a `main` of its own. The package's prelude
/// (precisions) precedes them. They may include the package's texts (`#include "Common/compute.glsl"`) and files beside
/// them. Files are read once: later changes do not affect the library. Safe to use from any thread.
public final class ShaderLibrary: Sendable {
  /// A name for messages.
  public let label: String
  /// The names of its functions, in alphabetical order.
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
  /// Compiler errors are thrown later, by the pipeline.
  ///
  /// - Throws: ``SafelightError`` if there is no such function, an include is not found, or the declarations cannot be
  ///   read.
  public func makeFunction(
    name: String, constantValues: FunctionConstantValues = FunctionConstantValues()
  ) throws(SafelightError) -> ShaderFunction {
    let key = Key(name: name, constants: constantValues)
    if let known = made.withLock({ $0[key] }) { return known }
    guard let entry = entries[name] else {
      throw SafelightError(
        .usage, "library '\(label)'", why: "it has no function '\(name)'",
        remedy: "use one of \(functionNames.joined(separator: ", "))")
    }
    let own = constantValues.constants
    let macros = options.preprocessorMacros.constants.filter { macro in !own.contains { $0.name == macro.name } }
    let function = ShaderFunction(
      name: name, assembly: ShaderAssembly(entry.parts, constants: macros + own), functionType: entry.type)
    _ = try function.reflection(entry.type == .kernel || entry.type == nil ? .standard : nil)
    return made.withLock { made in
      // Another thread may have been faster; its function has the compiled programs.
      if let known = made[key] { return known }
      made[key] = function
      return function
    }
  }
}

extension ShaderLibrary {
  convenience init(source: String, options: CompileOptions) throws(SafelightError) {
    let text = ShaderText(name: options.name, contents: source, folder: options.includeFolder)
    try self.init([try LibrarySource(text, name: options.name, type: nil)], options: options, label: options.name)
  }

  /// Makes a library from a file, or the files of a folder that end in `.comp`, `.vert` or `.frag`.
  convenience init(filepath path: String, options: CompileOptions) throws(SafelightError) {
    let files = try LibrarySource.files(at: path)
    let sources = try files.map { (file) throws(SafelightError) in try LibrarySource(reading: file) }
    try self.init(sources, options: options, label: path)
  }

  /// Makes a library of this package's kernels. Their texts document their constants; `SAMPLE_BITS` is 8 or 16.
  static func builtIn() throws(SafelightError) -> ShaderLibrary {
    let bodies: [ShaderSource] = [
      .passthrough, .saturation, .vibrance, .colorMatrix, .premultiply, .unpremultiply, .threshold,
    ]
    var entries: [LibrarySource.Entry] = []
    for body in bodies {
      let name = body.functionName
      for (name, type, wrapper) in [
        (name, ShaderFunction.FunctionType.kernel, ShaderSource.pointCompute),
        ("\(name)_fragment", .fragment, .pointFragment),
      ] {
        entries.append(
          LibrarySource.Entry(
            name: name, type: type,
            parts: [
              ShaderText(including: [.pixels], name: name),
              ShaderText(name: name, contents: "layout(binding = 0) uniform SOURCE_TEXTURE source;"),
              ShaderText(including: [body, wrapper], name: name),
            ]))
      }
    }
    entries.append(
      LibrarySource.Entry(
        name: "full_screen", type: .vertex, parts: [ShaderText(including: [.fullScreen], name: "full_screen")]))
    return try ShaderLibrary([LibrarySource(entries: entries)], options: CompileOptions(), label: "default")
  }
}

/// The functions of a text.
///
/// A line `#pragma kernel blur` (or `vertex`, `fragment`) begins the function `blur`, which ends at the next such line.
/// The text before the first such line belongs to all functions. A text without such a line is one function.
struct LibrarySource {
  /// A function that is not assembled yet.
  struct Entry: Sendable {
    let name: String
    let type: ShaderFunction.FunctionType?
    let parts: [ShaderText]
  }

  let entries: [Entry]

  init(entries: [Entry]) { self.entries = entries }

  /// Splits `text`, which is the function `name` if it marks none.
  init(_ text: ShaderText, name: String, type: ShaderFunction.FunctionType?) throws(SafelightError) {
    let rows = text.contents.split(omittingEmptySubsequences: false) { $0.isNewline }
    var marks: [(line: Int, type: ShaderFunction.FunctionType, name: String)] = []
    for (line, row) in rows.enumerated() {
      let words = row.split { $0 == " " || $0 == "\t" }
      guard words.count >= 2, words[0] == "#pragma", let type = ShaderFunction.FunctionType(rawValue: String(words[1]))
      else { continue }
      try ensure(
        words.count == 3, .input, "\(text.name):\(line + 1)", why: "'\(row)' names no function",
        remedy: "write #pragma \(words[1]) NAME, with the function's name")
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
      Entry(name: mark.name, type: mark.type, parts: [text.cut(to: 0..<first.line), text.cut(to: mark.line + 1..<end)])
    }
  }

  /// Splits a file, which is a function with the file's name, without the extension, if it marks none.
  init(reading path: String) throws(SafelightError) {
    guard let text = ShaderText(reading: path) else {
      throw SafelightError(.missingInput, path, why: "it cannot be read", remedy: "name a file or a folder of shaders")
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    try self.init(text, name: String(file[..<dot]), type: Self.types[String(file[dot...])])
  }

  /// The stages by the file extensions of the reference compiler.
  static let types: [String: ShaderFunction.FunctionType] = [".comp": .kernel, ".vert": .vertex, ".frag": .fragment]
}

extension LibrarySource {
  /// Returns `path` itself if it is a file, otherwise the function files in it, in alphabetical order.
  fileprivate static func files(at path: String) throws(SafelightError) -> [String] {
    func failure(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.missingInput, path, why: why, remedy: remedy)
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw failure(unsafe String(cString: strerror(errno)), "name a file or a folder of shaders")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    guard let all = fileNames(inFolder: path) else {
      throw failure(unsafe String(cString: strerror(errno)), "make it a folder that you may read")
    }
    let names = all.filter { name in types.keys.contains { name.hasSuffix($0) } }
    guard !names.isEmpty else {
      throw failure("it holds no file that ends in .comp, .vert or .frag", "name the folder of the shaders")
    }
    return names.sorted().map { "\(path)/\($0)" }
  }
}

/// Options of a library; Metal's `MTLCompileOptions`.
public struct CompileOptions: Hashable, Sendable {
  /// Macros for all functions; a function's own constants replace them.
  public var preprocessorMacros = FunctionConstantValues()
  /// The folder in which the includes of a library made from a string are found; nil for none.
  public var includeFolder: String?
  /// The name of a text given as a string, in messages and for its function if it marks none.
  public var name = "source"

  /// Makes options.
  public init() {}
}

/// Values for the constants of a function; Metal's `MTLFunctionConstantValues`.
///
/// GLSL has no constants that are set after compilation, so each becomes a `#define` before the text.
public struct FunctionConstantValues: Hashable, Sendable {
  private var values: [String: ShaderAssembly.Constant] = [:]

  /// Makes an empty set.
  public init() {}

  /// Sets an integer.
  public mutating func setConstantValue(_ value: Int32, withName name: String) { set(.init(name, Int(value))) }

  /// Sets an unsigned integer, written with `u`; use an integer for `#if`.
  public mutating func setConstantValue(_ value: UInt32, withName name: String) { set(.init(name, value)) }

  /// Sets a float, written so that it is read back exactly.
  public mutating func setConstantValue(_ value: Float, withName name: String) { set(.init(name, value)) }

  /// Sets 1 or 0, for `#if NAME`, or `bool(NAME)` in an expression.
  public mutating func setConstantValue(_ value: Bool, withName name: String) { set(.init(name, value)) }

  private mutating func set(_ constant: ShaderAssembly.Constant) {
    let name = constant.name.utf8
    trap(
      unless: name.allSatisfy(\.isOfWord) && name.first.map { $0 > UInt8(ascii: "9") } == true
        && !constant.name.hasPrefix("GL_")
        && !constant.name.contains("__"),
      "'\(constant.name)' cannot name a constant; use letters, digits, single underscores, and no GL_ in front")
    values[constant.name] = constant
  }

  /// The constants, sorted, so that equal sets give equal texts.
  var constants: [ShaderAssembly.Constant] { values.sorted { $0.key < $1.key }.map(\.value) }
}
