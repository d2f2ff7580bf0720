internal import SafelightGPU

extension DeviceInfo {
  /// What variants of goldens for its driver may be called. None for the Swift twins, whose pictures are the defaults.
  package var variantNames: [String] { isCPU ? [] : Self.variantNames(renderer: name, isSoftware: isSoftware) }

  /// The words of the renderer's name in small letters, in their order, then the kind: `llvmpipe`, `llvm`, …, `software`.
  package static func variantNames(renderer: String, isSoftware: Bool) -> [String] {
    let words = renderer.lowercased().split { !($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    return words.map(String.init) + [isSoftware ? "software" : "hardware"]
  }
}
