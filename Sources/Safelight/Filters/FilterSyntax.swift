import SafelightImage
internal import SafelightShaders

/// Reads filter chains, written like ffmpeg's: `equalize=rule=opencv:channels=luma,saturation=1.2`.
///
/// Commas separate filters, the first `=` a filter from its parameters, colons the parameters. The first value may be
/// given without a name; it then sets the filter's first parameter. Spaces around names, values and separators are
/// ignored. Texts and paths that contain separators are put in single quotes; a quote inside is written twice.
public enum FilterSyntax {
  /// Reads `text` as a chain of filters of `catalogue`, in the order in which they apply.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that says what to write instead, for an empty chain, filter or
  ///   parameter, an unknown name, a value outside its limits, and a parameter given twice or without a value.
  public static func parse(_ text: String, catalogue: [FilterDescription]) throws -> [FilterCall] {
    let text = FilterQuotes.withPlainSpaces(text)
    try ensure(
      !text[...].trimmed.isEmpty, .usage, "filter chain", why: "it is empty", remedy: "name at least one filter")
    return try FilterQuotes.split(text[...], at: ",").enumerated().map { index, part in
      let (name, arguments) = halves(part)
      try ensure(
        !name.isEmpty, .usage, "filter chain", why: "filter \(index + 1) has no name",
        remedy: "write NAME or NAME=PARAMETER=VALUE, and one comma between filters")
      try checkSeparators(of: name, behindComma: index > 0, in: catalogue)
      return try call(filter(named: name, in: catalogue), arguments: arguments)
    }
  }

  /// Returns the chain's canonical text, which ``parse(_:catalogue:)`` reads back as the same calls.
  public static func text(of chain: [FilterCall]) -> String { chain.map(\.description).joined(separator: ",") }

  /// Returns the filter of `catalogue` called `name`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that lists the nearest names, or all if none is near.
  public static func filter(named name: String, in catalogue: [FilterDescription]) throws -> FilterDescription {
    if let found = catalogue.first(where: { $0.name == name }) { return found }
    throw UnknownName.filter(name, catalogue: catalogue.map(\.name))
  }

  /// Throws an error for a name that is a filter's and something else, or part of a value with a comma.
  private static func checkSeparators(
    of name: String, behindComma: Bool, in catalogue: [FilterDescription]
  ) throws(SafelightError) {
    func isFilter(_ name: some StringProtocol) -> Bool { catalogue.contains { $0.name == name } }
    if isFilter(name) { return }
    let head = name.prefix { $0.isLetter || $0 == "-" }
    if let separator = name.dropFirst(head.count).first, isFilter(head) {
      throw SafelightError(
        .usage, "'\(name)'", why: "'\(separator)' stands behind the filter \(head)",
        remedy: "write = before its first setting, : between settings, and a comma between filters: "
          + "blur=2:edge=zero,invert")
    }
    try ensure(
      !behindComma || name.contains(where: \.isLetter) && !name.contains(" "), .usage, "'\(name)' behind a comma",
      why: "a comma separates filters, and this is none",
      remedy: "put a value that holds a comma in single quotes, with double quotes around the chain for the shell")
  }

  private static func call(_ filter: FilterDescription, arguments: Substring?) throws -> FilterCall {
    guard let arguments else { return try FilterCall(filter) }
    var filter = filter
    var values: [String: ParameterValue] = [:]
    var seconds: [String] = []
    for (index, part) in try FilterQuotes.split(arguments, at: ":").enumerated() {
      let (parameter, text) = try argument(part, isFirst: index == 0, of: filter)
      if case .pictures(areSeveral: true, _) = parameter.kind {
        seconds.append(FilterQuotes.unquoted(text))
        continue
      }
      guard values[parameter.name] == nil else {
        throw filter.fault("parameter '\(parameter.name)' is given more than once", "keep one value")
      }
      guard let value = value(text, as: parameter.kind), parameter.allows(value) else {
        throw filter.refused(text, for: parameter)
      }
      values[parameter.name] = value
      // The file, which comes first, declares the parameters that follow.
      if index == 0, filter.name == ShaderFilter.card.name, case .text(let file) = value {
        filter = try ShaderFilter.description(of: file)
      }
    }
    return try FilterCall(filter, values, seconds: seconds)
  }

  /// Returns the parameter that `part` sets and the text of its value.
  private static func argument(
    _ part: Substring, isFirst: Bool, of filter: FilterDescription
  ) throws -> (KernelParameter, String) {
    let (left, right) = halves(part)
    guard !left.isEmpty else {
      throw filter.fault("a parameter is empty", "remove the '=' or ':' that nothing follows")
    }
    let isWord = isFirst && right == nil && filter.parameters.first?.hasWord(left) == true
    if !isWord, let parameter = filter.parameter(left) ?? filter.word(left) {
      guard let text = right.map({ String($0.trimmed) }), !text.isEmpty else {
        throw filter.fault(
          "parameter '\(parameter.name)' has no value",
          "write \(parameter.name)=VALUE with \(parameter.allowedValues)")
      }
      return (parameter, text)
    }
    guard right == nil, let first = filter.parameters.first else { throw filter.unknownParameter(left) }
    try ensure(
      isFirst, .usage, "'\(left)' in filter '\(filter.name)'",
      why: "only the first value may stand without its parameter's name",
      remedy:
        "write NAME=\(left), where NAME is \(alternatives((filter.parameters + filter.words).map(\.name))), or put "
        + "a value that holds a colon in single quotes")
    return (first, left)
  }

  private static func value(_ text: String, as kind: KernelParameter.Kind) -> ParameterValue? {
    switch kind {
    case .choice: .choice(text)
    case .text, .file, .pictures: .text(FilterQuotes.unquoted(text))
    case .integer: series(text, areWhole: true) ?? Int(text).map(ParameterValue.integer)
    case .number: series(text, areWhole: false) ?? DecimalText.number(text).map(ParameterValue.number)
    }
  }

  /// Returns values over time.
  private static func series(_ text: String, areWhole: Bool) -> ParameterValue? {
    guard text.contains("@") else { return nil }
    return ValueSeries(FilterQuotes.unquoted(text), areWhole: areWhole).map(ParameterValue.series)
  }

  /// Returns the texts before and after the first equals sign; one inside a quoted value does not count.
  private static func halves(_ text: Substring) -> (String, Substring?) {
    guard let sign = text.firstIndex(of: "="), !text[..<sign].trimmed.hasPrefix("'") else {
      return (String(text.trimmed), nil)
    }
    return (String(text[..<sign].trimmed), text[text.index(after: sign)...])
  }
}

/// The description of a filter in a catalogue: its name, its meaning and its settings.
public struct FilterDescription: Hashable, Sendable {
  /// The name in chains, such as `equalize`.
  public let name: String
  /// One line for a listing, without a final period.
  public let summary: String
  /// The formula and other facts for users; several lines.
  public let discussion: String
  /// The settings, in the order of the canonical text. A value without a key sets the first.
  public let parameters: [KernelParameter]

  /// Makes a description, whose parameters must have different names.
  public init(name: String, summary: String, discussion: String = "", parameters: [KernelParameter] = []) {
    trap(
      unless: Set(parameters.map(\.name)).count == parameters.count,
      "filter '\(name)' has two parameters of the same name")
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
  }

  init<Kernel: ImageKernel>(_ card: KernelCard<Kernel>) {
    self.init(
      name: card.name, summary: card.summary, discussion: card.discussion,
      parameters: card.parameters.map(\.parameter)
        + (card.secondPicture.map { SecondRule.parameters(of: Kernel.self, pictures: $0) } ?? []))
  }

  /// Returns the parameter called `name`; nil if there is none.
  public func parameter(_ name: String) -> KernelParameter? { parameters.first { $0.name == name } }

  /// Returns the word called `name` that every filter takes, unless this one has a parameter of that name.
  func word(_ name: String) -> KernelParameter? { words.first { $0.name == name } }
}

extension FilterDescription {
  /// Returns the error of a call of the filter.
  func fault(_ why: String, _ remedy: String) -> SafelightError {
    SafelightError(.usage, "filter '\(name)'", why: why, remedy: remedy)
  }

  func unknownParameter(_ parameter: String) -> SafelightError {
    let words = words.map(\.name)
    guard !parameters.isEmpty else {
      return SafelightError(
        .usage, "'\(parameter)' in filter '\(name)'",
        why: "the filter takes no parameters but \(words.joined(separator: ", "))",
        remedy: "write \(name) without parameters")
    }
    return UnknownName.error(
      "parameter '\(parameter)' of filter '\(name)'", name: parameter, all: parameters.map(\.name) + words,
      noun: "parameters")
  }

  /// Returns the error of a value that a parameter does not allow.
  func refused(_ text: String, for parameter: KernelParameter) -> SafelightError {
    let instead =
      switch parameter.kind {
      case .number, .integer: example(of: parameter) ?? parameter.defaultValue.description
      case .choice(let choices, let word): NearestNames.find(text, among: choices.map(\.value)).first ?? word
      case .text, .file, .pictures: "PATH"
      }
    // gamma=abc, and not gamma=gamma=abc.
    let setting = name == parameter.name ? name : "\(name)=\(parameter.name)"
    if parameter.isNumber, text.contains("@") {
      return SafelightError(
        .usage, "\(setting)=\(text)",
        why: "values over time are VALUE@POSITION with spaces between, positions rise from 1 on, and each value is "
          + parameter.allowedValues,
        remedy: "write, for example, \(setting)='\(instead)@1 \(parameter.otherEnd(of: instead))@48'")
    }
    return SafelightError(
      .usage, "\(setting)=\(text)", why: "\(parameter.name) must be \(parameter.allowedValues)",
      remedy: "write, for example, \(setting)=\(instead)")
  }

  /// The value of `parameter` in one of the filter's examples.
  private func example(of parameter: KernelParameter) -> String? {
    let examples = FilterCatalogue.entries.first { $0.description == self }?.examples ?? []
    let settings = examples.flatMap { $0.split(whereSeparator: { "=:,".contains($0) }).map(String.init) }
    guard let place = settings.firstIndex(of: parameter.name), place + 1 < settings.count else { return nil }
    return Double(settings[place + 1]) == nil ? nil : settings[place + 1]
  }
}

/// The errors of names that do not exist.
enum UnknownName {
  static func filter(_ name: String, catalogue: [String]) -> SafelightError {
    func unknown(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.usage, "unknown filter '\(name)'", why: why, remedy: remedy)
    }
    if catalogue.isEmpty { return unknown("the catalogue is empty", "leave the filter out") }
    if let own = ownNames[name], catalogue.contains(String(own.prefix { $0 != "=" })) {
      return unknown("this is the filter's name in other programs", "write \(own)")
    }
    if let word = FilterWords.parameters.first(where: { $0.name == name })?.name {
      return unknown("it is a word that every filter takes", "write it behind a filter: invert=\(word)=VALUE")
    }
    if missing.contains(name) {
      return unknown("there is no such filter yet", "see the list of filters: safelight filters")
    }
    return error("filter '\(name)'", name: name, all: catalogue, noun: "filters")
  }

  /// The filters here that correspond to filters of other programs.
  private static let ownNames = [
    "negate": "invert", "negative": "invert", "contrast": "brightness-contrast=contrast=1.2",
    "brightness": "brightness-contrast=brightness=0.1", "normalize": "stretch", "normalise": "stretch",
    "autocontrast": "stretch", "autolevel": "stretch", "histeq": "equalize=rule=ffmpeg", "greyscale": "gray",
    "grayscale": "gray", "desaturate": "gray", "bw": "gray", "lut3d": "lut=FILE.cube", "hald": "lut=FILE.cube",
    "scale": "resize=width=1280", "thumbnail": "resize=width=320", "overlay": "over=image=FILE.png",
    "watermark": "over=image=FILE.png", "glsl": "shader=FILE.glsl", "despeckle": "median=3", "copy": "passthrough",
    "null": "passthrough", "hflip": "flip=horizontal", "vflip": "flip=vertical", "turn": "rotate=90",
    "fillborders": "pad=left=8:edge=mirror", "letterbox": "pad=top=140:bottom=140", "gblur": "blur=2",
    "gaussian": "blur=2", "boxblur": "box=5", "edges": "sobel", "edgedetect": "sobel",
    "screen": "blend=screen:with=FILE.png", "absdiff": "difference=with=FILE.png", "plus": "add=with=FILE.png",
    "minus": "subtract=with=FILE.png", "darken": "minimum=with=FILE.png", "lighten": "maximum=with=FILE.png",
    "drawbox": "rectangle=64x48+10+20", "drawtext": "text='{name} {frame}'", "annotate": "text='{name} {frame}'",
    "caption": "text='{name} {frame}'", "timecode": "text='{timecode}'", "drawline": "line=from=10+20:to=90+60",
    "pixelize": "redact=pixelate:region=64x48+10+20", "pixelate": "redact=pixelate:region=64x48+10+20",
    "mosaic": "redact=pixelate:region=64x48+10+20",
    "composite": "blend=with=FILE.png", "mix": "blend=opacity=0.5:with=FILE.png",
    "shear": "affine='1 0.2 0 0 1 0'", "warpaffine": "affine='1 0 10 0 1 0'", "straighten": "rotate=1.5:size=keep",
    "lenscorrection": "undistort=k1=-0.2:fx=1400", "lens": "undistort=k1=-0.2:fx=1400",
    "cornerpin": "perspective=to='0/0 99/10 99/89 0/99'", "keystone": "perspective=from='0/0 99/10 99/89 0/99'",
    "stmap": "remap=map=FILE.png", "displace": "remap=map=FILE.png",
    "hstack": "side-by-side=with=FILE.png", "vstack": "side-by-side=direction=column:with=FILE.png",
    "xstack": "montage=columns=2:with=FILE.png", "tile": "montage=columns=2:with=FILE.png",
    "fade": "levels=output-white='0@1 1@24'", "xfade": "crossfade=with=FILES:from=100:length=24",
    "dissolve": "crossfade=with=FILES:from=100:length=24",
  ]

  /// Filters that people look for and that do not exist here.
  private static let missing: Set<String> = [
    "sharpen", "unsharp", "denoise", "fps", "deinterlace", "yadif",
  ]

  static func error(_ what: String, name: String, all: [String], noun: String) -> SafelightError {
    let nearest = NearestNames.find(name, among: all)
    return SafelightError(
      .usage, "unknown \(what)",
      why: nearest.isEmpty
        ? "none is similar; the \(noun) are \(all.sorted().joined(separator: ", "))"
        : "the nearest that exists is \(alternatives(nearest))",
      remedy: nearest.isEmpty ? "use one of them" : "correct the name")
  }
}
