internal import SafelightImage

extension FunctionReflection {
  /// Throws unless each input of the vertex function `function` is an attribute of `descriptor` that has its numbers.
  func check(_ descriptor: VertexDescriptor, of function: String) throws(SafelightError) {
    let formats = descriptor.formats
    for input in inputs {
      let (name, type) = (input.variable.name, input.variable.type)
      let what = "'\(name)' of '\(function)'"
      // Linkers give a single input the first location.
      guard let first = input.qualifiers.layout["location"] ?? (inputs.count == 1 ? 0 : nil) else {
        throw SafelightError(
          .usage, what, why: "its in \(type) has no location, so the driver chooses which attribute it is",
          remedy: "write layout(location = 0) in \(type) \(name), with the index of the attribute")
      }
      try ensure(
        (0..<16).contains(first), .usage, what, why: "its location is \(first); they run from 0 to 15",
        remedy: "write layout(location = 0) in \(type) \(name), with the index of the attribute")
      for location in first..<first + input.locationCount {
        guard let format = formats[location] else {
          throw SafelightError(
            .usage, what,
            why: "its in \(type) at location \(location) is attribute \(location), which the vertex descriptor lacks",
            remedy:
              "set attributes[\(location)].format of the pipeline's vertexDescriptor, and the stride of its layout")
        }
        let (needed, given) = (Self.numbers(ofType: type), format.numbers)
        try ensure(
          needed == given, .usage, what,
          why: "its in \(type) at location \(location) takes \(needed), but attribute \(location) of the vertex "
            + "descriptor is \(format.rawValue), which gives \(given)",
          remedy: "declare it \(format.glslType), or set another format for attributes[\(location)]")
      }
    }
  }

  private static func numbers(ofType type: String) -> String {
    type.hasPrefix("u") ? "unsigned integers" : type.hasPrefix("i") ? "signed integers" : "floats"
  }
}

extension GLSLDeclarations.Global {
  /// The number of its locations: one for each column of a matrix (GLSL ES 3.10 §4.4.1).
  fileprivate var locationCount: Int {
    guard variable.type.hasPrefix("mat"), let columns = variable.type.dropFirst(3).first?.wholeNumberValue else {
      return 1
    }
    return columns
  }
}

extension VertexFormat {
  /// The numbers that functions receive.
  fileprivate var numbers: String {
    guard isInteger else { return "floats" }
    return [.uchar, .ushort, .uint].contains(component) ? "unsigned integers" : "signed integers"
  }

  /// The type of an input that receives all components.
  fileprivate var glslType: String {
    let prefix = !isInteger ? "" : numbers.hasPrefix("u") ? "u" : "i"
    guard count == 1 else { return "\(prefix)vec\(count)" }
    return ["": "float", "u": "uint"][prefix] ?? "int"
  }
}
