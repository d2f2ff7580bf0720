public import SafelightGPU
public import SafelightImage

/// The side of a comparison that made a picture.
///
/// Sides are types, so that comparing a side with itself does not compile.
public protocol Side: Sendable {
  /// The name in messages.
  static var name: String { get }
  /// Returns true if `device` belongs to this side.
  static func has(_ device: DeviceInfo) -> Bool
}

/// OpenGL ES: a GPU or a software renderer.
public enum GPU: Side {
  /// `GPU`.
  public static let name = "GPU"
  /// Returns true for any device with OpenGL ES.
  public static func has(_ device: DeviceInfo) -> Bool { !device.isCPU }
}

/// The Swift twins.
public enum CPU: Side {
  /// `CPU`.
  public static let name = "CPU"
  /// Returns true for the Swift twins.
  public static func has(_ device: DeviceInfo) -> Bool { device.isCPU }
}

/// A picture and the device that made it.
public struct Output<Made: Side>: Sendable {
  /// The picture.
  public let image: Image
  /// The device that made it.
  public let device: DeviceInfo

  /// States that `device` made `image`.
  ///
  /// - Throws: ``SafelightError`` of kind `incomparable` if the device belongs to the other side: comparing the CPU
  ///   with itself would pass and prove nothing.
  public init(_ image: Image, by device: Device) throws(SafelightError) {
    try ensure(
      Made.has(device.info), .incomparable, "an output of the \(Made.name)",
      why: "'\(device.info.name)' made it, which belongs to the other side",
      remedy: "open the intended device; Device.open(.cpu) is the CPU, every other one a GPU")
    self.image = image
    self.device = device.info
  }
}

extension DeviceInfo {
  /// The names that a golden's variant for the device's driver may have. Empty for the Swift twins, whose pictures are
  /// the defaults.
  package var variantNames: [String] { isCPU ? [] : Self.variantNames(renderer: name, isSoftware: isSoftware) }

  /// Returns the words of the renderer's name in lower case, in order, then the kind: `llvmpipe`, `llvm`, …,
  /// `software`.
  package static func variantNames(renderer: String, isSoftware: Bool) -> [String] {
    let words = renderer.lowercased().split { !($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    return words.map(String.init) + [isSoftware ? "software" : "hardware"]
  }
}
