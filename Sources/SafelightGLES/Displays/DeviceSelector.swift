public import SafelightImage

/// Which device is meant; everything but ``auto`` is explicit and never falls back.
public enum DeviceSelector: Hashable, Sendable, CustomStringConvertible {
  /// The first hardware GPU, else a software renderer.
  case auto
  /// The first hardware GPU.
  case hardware
  /// A software renderer, such as Mesa's llvmpipe.
  case software
  /// No GPU: the Swift twins of the kernels.
  case cpu
  /// The device of this number in the list of `safelight devices`.
  case index(Int)
  /// The device behind a DRM node, such as `/dev/dri/renderD128`.
  case node(String)
  /// The device at a PCI address, such as `0000:41:00.0`.
  case pci(String)
  /// The device that CUDA numbers so.
  case cuda(Int)

  /// Reads the text form: `auto`, `hardware`, `software`, `cpu`, `index:N`, `node:PATH`, `pci:ADDR` or `cuda:N`.
  public init(parsing text: String) throws(SafelightError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count > 1 ? parts[1] : nil) {
    case ("auto", nil): self = .auto
    case ("hardware", nil): self = .hardware
    case ("software", nil): self = .software
    case ("cpu", nil): self = .cpu
    case ("index", let number?): self = .index(try Self.number(number, in: text))
    case ("cuda", let number?): self = .cuda(try Self.number(number, in: text))
    case ("node", let path?) where path.hasPrefix("/"): self = .node(path)
    case ("pci", let address?) where !address.isEmpty: self = .pci(address.lowercased())
    default: throw Self.malformed(text, why: "not a device selector")
    }
  }

  private static func number(_ digits: String, in text: String) throws(SafelightError) -> Int {
    guard let number = Int(digits), number >= 0 else {
      throw malformed(text, why: "'\(digits)' is not a number from 0")
    }
    return number
  }

  private static func malformed(_ text: String, why: String) -> SafelightError {
    SafelightError(
      .usage, "device '\(text)'", why: why,
      remedy: "use auto, hardware, software, cpu, index:N, node:/dev/dri/renderD128, pci:0000:41:00.0 or cuda:N")
  }

  /// The text form.
  public var description: String {
    switch self {
    case .auto: "auto"
    case .hardware: "hardware"
    case .software: "software"
    case .cpu: "cpu"
    case .index(let number): "index:\(number)"
    case .node(let path): "node:\(path)"
    case .pci(let address): "pci:\(address)"
    case .cuda(let number): "cuda:\(number)"
    }
  }
}

/// How EGL reaches a device.
public enum DevicePlatform: String, Sendable, CaseIterable {
  /// `device`, then `gbm`, then `surfaceless`.
  case auto
  /// `EGL_EXT_platform_device`: names a GPU exactly.
  case device
  /// `EGL_KHR_platform_gbm`: through a DRM node.
  case gbm
  /// `EGL_MESA_platform_surfaceless`: Mesa chooses.
  case surfaceless
}
