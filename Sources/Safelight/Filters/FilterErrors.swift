import SafelightImage

/// The messages of the filter chain, each written once.
enum FilterErrors {
  static func unknownFilter(_ name: String, catalogue: [String]) -> SafelightError {
    guard !catalogue.isEmpty else {
      return SafelightError(
        .usage, "unknown filter '\(name)'", why: "the catalogue is empty", remedy: "leave the filter out")
    }
    if let own = ownNames[name], catalogue.contains(String(own.prefix { $0 != "=" })) {
      return SafelightError(
        .usage, "unknown filter '\(name)'", why: "other programs call it so", remedy: "write \(own)")
    }
    if missing.contains(name) {
      return SafelightError(
        .usage, "unknown filter '\(name)'", why: "there is nothing like it yet", remedy: "see the list of filters")
    }
    return unknown("filter '\(name)'", name: name, all: catalogue, noun: "filters")
  }

  /// What filters of other programs are called here.
  private static let ownNames = [
    "negate": "invert", "negative": "invert", "contrast": "brightness-contrast=contrast=1.2",
    "brightness": "brightness-contrast=brightness=0.1", "normalize": "stretch", "normalise": "stretch",
    "autocontrast": "stretch", "autolevel": "stretch", "histeq": "equalize=rule=ffmpeg", "greyscale": "gray",
    "grayscale": "gray", "desaturate": "gray", "bw": "gray", "lut3d": "lut=FILE.cube", "hald": "lut=FILE.cube",
    "scale": "resize=width=1280", "thumbnail": "resize=width=320", "overlay": "over=image=FILE.png",
    "watermark": "over=image=FILE.png", "glsl": "shader=FILE.glsl", "despeckle": "median=3", "copy": "passthrough",
    "null": "passthrough",
  ]

  /// What people look for, and no filter does.
  private static let missing: Set<String> = [
    "blur", "gblur", "boxblur", "sharpen", "unsharp", "denoise", "rotate", "flip",
    "hflip", "vflip", "transpose", "fps", "deinterlace", "yadif", "fade",
  ]

  static func unknownParameter(_ name: String, of filter: FilterDescription) -> SafelightError {
    guard !filter.parameters.isEmpty else {
      return SafelightError(
        .usage, "'\(name)' in filter '\(filter.name)'", why: "the filter takes no parameters",
        remedy: "write \(filter.name) alone")
    }
    return unknown(
      "parameter '\(name)' of filter '\(filter.name)'", name: name, all: filter.parameters.map(\.name),
      noun: "parameters")
  }

  static func refused(_ text: String, for parameter: KernelParameter, of filter: FilterDescription) -> SafelightError {
    let instead =
      switch parameter.kind {
      case .number, .integer: parameter.defaultValue.description
      case .choice(let choices, let word): NearestNames.find(text, among: choices.map(\.value)).first ?? word
      case .text, .file: "PATH"
      }
    // gamma=abc, and not gamma=gamma=abc.
    let setting = filter.name == parameter.name ? filter.name : "\(filter.name)=\(parameter.name)"
    return SafelightError(
      .usage, "\(setting)=\(text)", why: "\(parameter.name) must be \(parameter.allowedValues)",
      remedy: "for example \(setting)=\(instead)")
  }

  static func duplicate(_ parameter: KernelParameter, of filter: FilterDescription) -> SafelightError {
    SafelightError(
      .usage, "filter '\(filter.name)'", why: "parameter '\(parameter.name)' is given more than once",
      remedy: "keep one value")
  }

  static func noValue(for parameter: KernelParameter, of filter: FilterDescription) -> SafelightError {
    SafelightError(
      .usage, "filter '\(filter.name)'", why: "parameter '\(parameter.name)' has no value",
      remedy: "write \(parameter.name)=VALUE with \(parameter.allowedValues)")
  }

  static func missing(_ parameter: KernelParameter, of filter: FilterDescription) -> SafelightError {
    SafelightError(
      .usage, "filter '\(filter.name)'", why: "parameter '\(parameter.name)' is missing",
      remedy: "write \(filter.name)=\(parameter.name)=PATH with \(parameter.allowedValues)")
  }

  /// A text that the filter itself could not read; `why` says where and what.
  static func unreadable(_ parameter: String, _ text: String, of filter: String, why: String, remedy: String)
    -> SafelightError
  {
    SafelightError(.usage, "\(filter)=\(parameter)=\(FilterQuotes.quoted(text))", why: why, remedy: remedy)
  }

  static func openQuote() -> SafelightError {
    SafelightError(
      .usage, "filter chain", why: "a quote is not closed",
      remedy: "put quotes around the whole value, and write a quote inside it twice")
  }

  static func noKey(_ text: String, of filter: FilterDescription) -> SafelightError {
    SafelightError(
      .usage, "'\(text)' in filter '\(filter.name)'",
      why: "only the first value may stand without its parameter's name",
      remedy: "write NAME=\(text), where NAME is \(alternatives(filter.parameters.map(\.name)))")
  }

  static func emptyParameter(of filter: FilterDescription) -> SafelightError {
    SafelightError(
      .usage, "filter '\(filter.name)'", why: "a parameter is empty",
      remedy: "remove the '=' or ':' that nothing follows")
  }

  static func emptyFilter(position: Int) -> SafelightError {
    SafelightError(
      .usage, "filter chain", why: "filter \(position) has no name",
      remedy: "write NAME=PARAMETER=VALUE and put one comma between two filters")
  }

  static func emptyChain() -> SafelightError {
    SafelightError(.usage, "filter chain", why: "it is empty", remedy: "name at least one filter")
  }

  private static func unknown(_ what: String, name: String, all: [String], noun: String) -> SafelightError {
    let nearest = NearestNames.find(name, among: all)
    guard nearest.isEmpty else {
      return SafelightError(
        .usage, "unknown \(what)", why: "the nearest that exists is \(alternatives(nearest))",
        remedy: "correct the name")
    }
    return SafelightError(
      .usage, "unknown \(what)", why: "no name is near; the \(noun) are \(all.sorted().joined(separator: ", "))",
      remedy: "use one of them")
  }
}
