/// The extensions that a function may demand with a line `#extension GL_… : require`.
///
/// Those that ``DeviceFeatures`` has a bit for are judged by it and not by this list.
public enum ShaderExtensions: Hashable, Sendable {
  /// Any: a Swift twin needs none.
  case all
  /// Those that the driver lists, by full names.
  case listed(Set<String>)

  /// Whether a function may demand `name`.
  public func contains(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .listed(let names): names.contains(name)
    }
  }

  /// Those in both.
  func intersection(_ other: ShaderExtensions) -> ShaderExtensions {
    switch (self, other) {
    case (.all, let rest), (let rest, .all): rest
    case (.listed(let names), .listed(let others)): .listed(names.intersection(others))
    }
  }
}

extension Capabilities {
  /// Whether a function may demand the extension `name`.
  public func hasShaderExtension(_ name: String) -> Bool {
    DeviceFeatures(shaderExtension: name).map(features.contains) ?? shaderExtensions.contains(name)
  }
}

extension DeviceFeatures {
  /// The feature that an extension of the shading language brings; nil where it has no bit.
  package init?(shaderExtension name: String) {
    switch name {
    case "GL_NV_image_formats": self = .storageOfAllFormats
    case "GL_EXT_shader_group_vote": self = .groupVote
    case "GL_EXT_shader_framebuffer_fetch": self = .framebufferFetch
    // The language has an extension for each part: GL_KHR_shader_subgroup_vote and so on.
    case let name where name.hasPrefix("GL_KHR_shader_subgroup"): self = .subgroups
    default: return nil
    }
  }
}
