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
