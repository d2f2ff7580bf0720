internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A pass, or several that run as one: each of the others makes a pixel of the pixel that the pass before made, which
/// then lies in no picture.
struct PassGroup: Sendable {
  let first: Pass
  private(set) var next: [Pass] = []

  init(_ pass: Pass) { first = pass }

  /// The passes in their order.
  var passes: [Pass] { [first] + next }
  /// The pictures and tables that are read.
  var inputs: [Pass.Input] { first.inputs + next.flatMap { $0.inputs.dropFirst() } }
  /// The picture that is made.
  var output: Pass.Output { next.last?.output ?? first.output }
  /// The pixels that are made, if not all.
  var area: Region? { first.area }
  /// The functions' names.
  var name: String { passes.map(\.function.name).joined(separator: "+") }
  /// The blocks of uniforms with their bindings; none for passes without uniforms.
  var blocks: [(binding: Int, bytes: [UInt8])] {
    passes.enumerated().compactMap { $1.uniforms.isEmpty ? nil : (Self.binding(ofBlock: $0), $1.uniforms) }
  }

  /// The binding of a pass's block of uniforms: 3 is that of the regions.
  static func binding(ofBlock pass: Int) -> Int { pass == 0 ? 2 : 3 + pass }

  /// True if the function has no render pipeline: OpenGL ES reads and writes numbers in compute functions alone.
  var isComputed: Bool { output.resource.isHeldWhole || inputs.contains(where: \.resource.isNumbers) }

  /// OpenGL ES 3.1 has 12 blocks and 16 textures in a function.
  private static let most = (passes: 8, inputs: 16)

  /// Groups `passes` of a kernel whose results have these formats: those that can run as one do.
  static func groups(of passes: [Pass], makingResults formats: [PixelFormat]) -> [PassGroup] {
    var groups: [PassGroup] = []
    for pass in passes {
      if let joined = groups.last?.followed(by: pass, among: passes, formats) {
        groups[groups.count - 1] = joined
      } else {
        groups.append(PassGroup(pass))
      }
    }
    return groups
  }

  /// Returns the group with `pass` behind it; nil unless `pass`, and none of `others`, reads what the group makes, each
  /// pixel at its place, and makes pixels of the same format.
  private func followed(by pass: Pass, among others: [Pass], _ formats: [PixelFormat]) -> PassGroup? {
    guard case .temporary(let number, let format, _) = output.target, format == pass.output.format(formats),
      pass.area == nil,
      pass.inputs.first?.resource == .temporary(number), pass.inputs.first?.footprint == .pixel,
      first.kind == .pixels, pass.kind == .pixels,
      // A function of another package runs alone: its pixels are clamped and its grays widened where the pass ends.
      first.function.builtIn != nil, pass.function.builtIn != nil,
      pass.inputs.dropFirst().allSatisfy(\.resource.isTable),
      others.flatMap(\.inputs).count(where: { $0.resource == .temporary(number) }) == 1
    else { return nil }
    var group = self
    let last = next.last ?? first
    if let one = last.function.builtIn?.joined(last, with: pass) {
      guard !next.isEmpty else { return PassGroup(one) }
      group.next[next.count - 1] = one
      return group
    }
    guard next.count + 2 <= Self.most.passes, inputs.count + pass.inputs.count - 1 <= Self.most.inputs,
      first.globalNames != nil, pass.globalNames != nil
    else { return nil }
    group.next.append(pass)
    return group
  }

  /// Returns the same passes with other functions.
  func mapping(_ function: (any PassFunction) -> any PassFunction) -> PassGroup {
    func mapped(_ pass: Pass) -> Pass {
      var pass = pass
      pass.function = function(pass.function)
      return pass
    }
    var group = PassGroup(mapped(first))
    group.next = next.map(mapped)
    return group
  }

  /// Returns the same functions without their resources, and without the places of pictures and of what is made: a
  /// program serves all of them.
  var withoutPlaces: PassGroup {
    func stripped(_ pass: Pass) -> Pass {
      var pass = pass
      for place in pass.inputs.indices {
        pass.inputs[place].resource = .picture
        switch pass.inputs[place].footprint.extent {
        case .placed, .padded, .warped, .cell, .containingCell: pass.inputs[place].footprint = .placed(Placement())
        default: break
        }
      }
      pass.area = nil
      return pass
    }
    var group = PassGroup(stripped(first))
    group.next = next.map(stripped)
    return group
  }
}

extension Pass.Output {
  /// Returns the format of the picture that is made, of a kernel whose results have these; nil for tables and numbers.
  func format(_ results: [PixelFormat]) -> PixelFormat? {
    switch target {
    case .temporary(_, let format, _): format
    case .result(let number): results.indices.contains(number) ? results[number] : nil
    case .table, .numbers: nil
    }
  }
}

// MARK: The text

/// For each function, the names that its body declares outside of GLSL functions, and all words of the body. Nil for
/// bodies that cannot stand beside others in a text.
private let declarations = Memo<(names: Set<String>, words: Set<String>)?>()

extension Pass {
  /// The names that the body declares outside its functions; nil if the body cannot stand beside others in a text.
  fileprivate var globalNames: Set<String>? {
    // The pixel comes from no picture.
    guard let found = function.declarations, !found.words.contains(inputs[0].name) else { return nil }
    return found.names
  }
}

extension PassFunction {
  fileprivate var declarations: (names: Set<String>, words: Set<String>)? {
    SafelightKernels.declarations.value(self) {
      guard builtIn?.texts.count == 1, builtIn?.hasTwin == true, body.includesOnlyOwnTexts else { return nil }
      var (names, words) = (Set<String>(), Set<String>())
      for depth in SampleDepth.allCases {
        guard let own = tokens(depth) else { return nil }
        let declarations = GLSLDeclarations(own)
        guard declarations.uniforms.isEmpty else { return nil }
        names.formUnion(declarations.names)
        words.formUnion(own.map(\.text))
      }
      // A macro renames components of vectors, too.
      let isRenamable = names.allSatisfy { name in
        name.count > 4 || !name.allSatisfy { "xyzwrgbastpq".contains($0) }
      }
      return isRenamable ? (names, words) : nil
    }
  }

  /// Returns the tokens of the body without those of its includes; nil if it cannot be read.
  private func tokens(_ depth: SampleDepth) -> [GLSLToken]? {
    func tokens(_ texts: [ShaderText]) -> [GLSLToken]? {
      let constants = constants + [.init("SAMPLE_BITS", depth.rawValue)]
      return try? GLSLPreprocessor(ShaderAssembly(texts, constants: constants).shader(), function: name).tokens
    }
    let around = [ShaderText(.pixels), body.includes]
    guard let before = tokens(around)?.count, let all = tokens(around + [body]) else { return nil }
    return Array(all.dropFirst(before))
  }
}

extension PassGroup {
  /// The GLSL of the function: a body, or several with the function that calls one after the other.
  func body(samplesPerPixel: Int) -> [ShaderText] {
    guard !next.isEmpty else { return first.function.builtIn?.texts ?? [first.function.body] }
    var texts = passes.map(\.function.body.includes)
    for (number, pass) in passes.enumerated() {
      let text = pass.function.body
      // The pictures and tables of the first pass keep their names.
      let renamed = (pass.globalNames ?? []).sorted() + (number == 0 ? [] : pass.inputs.dropFirst().map(\.name))
      let macros = pass.function.constants.map { ($0.name, $0.text) } + renamed.map { ($0, Self.name($0, number)) }
      let ends = macros.map(\.0) + text.contents.matches(of: /(?m)^\s*#\s*define\s+(\w+)/).map { String($0.output.1) }
      let contents = text.contents.replacing(/\bbinding\s*=\s*2\b/, with: "binding = \(Self.binding(ofBlock: number))")
      texts += [
        ShaderText(
          name: "begin of \(pass.function.name)",
          contents: macros.map { "#define \($0.0) \($0.1)" }.joined(separator: "\n")),
        ShaderText(name: text.name, contents: contents, folder: text.folder),
        ShaderText(name: "end of \(pass.function.name)", contents: ends.map { "#undef \($0)" }.joined(separator: "\n")),
      ]
    }
    // A texture of one or two channels gives a body zeros for the others, and the greatest alpha. So does a body.
    let missing = [1: "pixel.r, 0u, 0u, MAXIMUM", 2: "pixel.rg, 0u, MAXIMUM"][samplesPerPixel]
    let handOn = missing.map { "\n  pixel = uvec4(\($0));" } ?? ""
    let calls = passes.indices.map { "  pixel = \(Self.name("pointKernel", $0))(pixel);" }
    let contents = "uvec4 pointKernel(uvec4 pixel) {\n\(calls.joined(separator: "\(handOn)\n"))\n  return pixel;\n}"
    return texts + [ShaderText(name: name, contents: contents)]
  }

  /// Returns what a global name of a pass, or of an input besides the pixel, becomes.
  static func name(_ name: String, _ pass: Int) -> String { "safelight\(pass)_\(name)" }
}

extension ShaderText {
  private var included: [Substring] { contents.matches(of: /(?m)^\s*#\s*include\s*"(.*)"/).map(\.output.1) }

  /// True if all includes are texts of this package, which do without macros of the bodies and have names of their own.
  fileprivate var includesOnlyOwnTexts: Bool {
    included.isEmpty || folder == nil && included.allSatisfy { ShaderSource(rawValue: String($0)) != nil }
  }

  /// The lines by which the text includes others.
  fileprivate var includes: ShaderText {
    let lines = contents.matches(of: /(?m)^\s*#\s*include\b.*$/).map { String($0.output) }
    return ShaderText(name: "includes of \(name)", contents: lines.joined(separator: "\n"), folder: folder)
  }
}

// MARK: The twin

extension PassGroup {
  /// The bytes of a piece: about half of a processor's first cache.
  private static let pieceBytes = 1 << 14

  /// Makes the pixels of `memory`'s region; `blocks` holds the words of each pass's uniforms.
  func make(_ memory: PassMemory, blocks: [[UInt32]]) {
    var memory = memory
    memory.uniforms = blocks[0]
    memory.pass.declare(first)
    guard !next.isEmpty else { return memory.run(first.function) }
    let (region, format) = (memory.region, memory.output.pixelFormat)
    let rowBytes = region.size.width * format.bytesPerPixel
    let height = max(1, min(region.size.height, Self.pieceBytes / rowBytes))
    unsafe withUnsafeTemporaryAllocation(byteCount: 2 * height * rowBytes, alignment: 64) { scratch in
      guard let scratch = scratch.baseAddress else { return }
      for y in stride(from: region.y, to: region.y + region.size.height, by: height) {
        var piece = memory.cut(to: y..<min(y + height, region.y + region.size.height))
        var tables = memory.inputs[first.inputs.count...]
        for (number, pass) in passes.enumerated() {
          if number > 0 {
            piece.inputs = [piece.output] + tables.prefix(pass.inputs.count - 1)
            tables = tables.dropFirst(pass.inputs.count - 1)
          } else {
            piece.inputs = Array(memory.inputs[..<first.inputs.count])
          }
          let own = unsafe scratch + (number % 2) * height * rowBytes
          if number == next.count {
            piece.output = memory.output
          } else {
            piece.output = unsafe PictureMemory(piece.region, of: memory.output.size, format, own)
          }
          piece.uniforms = blocks[number]
          piece.pass.declare(pass)
          pass.function.make(piece)
        }
      }
    }
  }
}
