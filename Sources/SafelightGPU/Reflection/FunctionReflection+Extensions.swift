internal import SafelightGLES
internal import SafelightImage

/// A line `#extension name : behavior` of a text.
struct GLSLExtension: Hashable {
  let name: String
  /// `require`, `enable`, `warn` or `disable`.
  let behavior: String
  /// The line as its author knows it.
  let place: String

  static let framebufferFetch = "GL_EXT_shader_framebuffer_fetch"
}

extension FunctionReflection {
  /// Throws where a device of `capabilities` lacks an extension that the function demands; asked by both executors. The CPU executor's
  /// twins need none, so it lacks what the limits lack that it was opened with.
  func checkExtensions(_ capabilities: Capabilities, of function: String) throws(SafelightError) {
    for line in extensions where line.behavior == "require" && !capabilities.hasShaderExtension(line.name) {
      throw Self.lack(of: line.name, at: line.place, function)
    }
    guard let fetched = fetchedColors.min(by: { $0.key < $1.key }) else { return }
    guard let line = extensions.first(where: { $0.name == GLSLExtension.framebufferFetch }) else {
      throw SafelightError(
        .usage, "'\(function)'",
        why: "it reads the target's pixel by an inout \(fetched.value), which takes an extension",
        remedy: "add #extension \(GLSLExtension.framebufferFetch) : require")
    }
    guard capabilities.hasShaderExtension(line.name) else { throw Self.lack(of: line.name, at: line.place, function) }
  }

  private static func lack(of name: String, at place: String, _ function: String) -> SafelightError {
    SafelightError(
      .unsupported, "'\(function)'", why: "\(place) demands \(name), which this device lacks", remedy: remedy(name))
  }

  private static func remedy(_ name: String) -> String {
    switch DeviceFeatures(shaderExtension: name) {
    case .storageOfAllFormats: "store to a format of PixelFormat.isStorable, or write it in a render pass"
    case .groupVote, .subgroups: "pass values between threads in threadgroup memory, which works everywhere"
    case .framebufferFetch: "draw a second pass that samples the first's result"
    default: "do without it, or open a device that has it"
    }
  }
}
