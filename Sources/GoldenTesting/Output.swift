public import SafelightGPU
public import SafelightImage

/// Who made a picture. A type, so that a side cannot be compared with itself: that does not compile.
public protocol Side: Sendable {
  /// What messages call it.
  static var name: String { get }
  /// Whether `device` is one of this side.
  static func has(_ device: DeviceInfo) -> Bool
}

/// OpenGL ES: a GPU, or a renderer in its place.
public enum GPU: Side {
  /// `GPU`.
  public static let name = "GPU"
  /// True for any device with OpenGL ES.
  public static func has(_ device: DeviceInfo) -> Bool { !device.isCPU }
}

/// The Swift twins.
public enum CPU: Side {
  /// `CPU`.
  public static let name = "CPU"
  /// True for the executor of Swift twins.
  public static func has(_ device: DeviceInfo) -> Bool { device.isCPU }
}

/// A picture and the device that made it.
public struct Output<Made: Side>: Sendable {
  /// The picture.
  public let image: Image
  /// What made it.
  public let device: DeviceInfo

  /// Says that `device` made `image`.
  ///
  /// - Throws: ``SafelightError`` of the kind `incomparable` where the device is of the other side: a comparison of the CPU with itself
  ///   would pass and prove nothing.
  public init(_ image: Image, by device: Device) throws(SafelightError) {
    guard Made.has(device.info) else {
      throw SafelightError(
        .incomparable, "an output of the \(Made.name)", why: "'\(device.info.name)' made it, which is the other side",
        remedy: "open the device that is meant; Device.open(.cpu) is the CPU, every other one a GPU")
    }
    self.image = image
    self.device = device.info
  }
}

extension DeviceInfo {
  /// What variants of goldens for its driver may be called. None for the Swift twins, whose pictures are the defaults.
  package var variantNames: [String] { isCPU ? [] : Self.variantNames(renderer: name, isSoftware: isSoftware) }

  /// The words of the renderer's name in small letters, in their order, then the kind: `llvmpipe`, `llvm`, …, `software`.
  package static func variantNames(renderer: String, isSoftware: Bool) -> [String] {
    let words = renderer.lowercased().split { !($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    return words.map(String.init) + [isSoftware ? "software" : "hardware"]
  }
}
