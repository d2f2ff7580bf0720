internal import SafelightGLES
internal import SafelightImage

/// A function of a command with what it is bound to; a draw has two.
struct BoundFunction {
  let function: ShaderFunction
  let bindings: Bindings

  /// The textures that the function samples.
  var sampled: [Texture] {
    function.arguments.compactMap { if case .sampledTexture(let index) = $0 { bindings.textures[index] } else { nil } }
  }

  /// The textures that it stores to.
  var stored: [Texture] {
    function.arguments.compactMap { $0.storedTexture.flatMap { bindings.textures[$0] } }
  }
}

extension [BoundFunction] {
  /// Throws where the functions of one command cannot see their textures as these are; asked by both executors.
  ///
  /// Without views of its own OpenGL ES has one range of levels for a texture (`GL_TEXTURE_BASE_LEVEL`), and takes stores inside it alone
  /// (ES 3.1 §8.22).
  func checkViews(_ capabilities: Capabilities) throws(SafelightError) {
    for texture in flatMap({ $0.sampled + $0.stored }) { try texture.checkView(capabilities) }
    guard !capabilities.features.contains(.textureViews) else { return }
    var sampled: [ResourceID: Texture] = [:]
    for bound in self {
      for texture in bound.sampled {
        if let other = sampled[texture.hazard], other.levelsOfRoot != texture.levelsOfRoot {
          throw Self.conflict(bound.function, "samples", texture, other)
        }
        sampled[texture.hazard] = texture
      }
    }
    for bound in self {
      for texture in bound.stored {
        guard let other = sampled[texture.hazard], !other.levelsOfRoot.contains(texture.levelsOfRoot.lowerBound) else {
          continue
        }
        throw Self.conflict(bound.function, "stores to", texture, other)
      }
    }
  }

  private static func conflict(
    _ function: ShaderFunction, _ verb: String, _ texture: Texture, _ other: Texture
  ) -> SafelightError {
    SafelightError(
      .unsupported, function.name,
      why:
        "it \(verb) '\(texture.label)' and samples '\(other.label)', other levels of one texture, which takes GL_EXT_texture_view",
      remedy: "copy one of them to a texture of its own, or bind the whole texture and name the level in the function")
  }
}

extension Texture {
  /// The levels that it shows of the texture whose pixels these are.
  fileprivate var levelsOfRoot: Range<Int> {
    let first = parent.map { $0.levelsOfRoot.lowerBound + parentLevels.lowerBound } ?? 0
    return first..<first + descriptor.mipmapLevelCount
  }
}
