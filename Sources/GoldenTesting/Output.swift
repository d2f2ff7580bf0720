internal import Glibc
internal import SafelightFrames
public import SafelightGPU
internal import SafelightGolden
public import SafelightImage
internal import Testing

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
  /// True for the Swift twins.
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

/// Where pictures go that may become goldens, if `SAFELIGHT_CANDIDATES` says so.
package struct CandidateOutput {
  let folder: String

  package init(folder: String) { self.folder = folder }

  static var ofProcess: CandidateOutput? {
    unsafe getenv("SAFELIGHT_CANDIDATES").map { CandidateOutput(folder: unsafe String(cString: $0)) }
  }

  /// Writes the candidate for the golden `name`, in a folder that lies as the folder `goldens` does in its package.
  ///
  /// - Throws: ``SafelightError`` of the kind `usage` where that is the golden folder itself.
  package func write(_ image: Image, named name: String, of goldens: String) throws {
    let place = ([folder] + Self.partsInPackage(goldens)).joined(separator: "/")
    guard !isOneFile(place, goldens) else {
      throw SafelightError(
        .usage, "SAFELIGHT_CANDIDATES=\(folder)", why: "the candidates would be written into the goldens, \(goldens)",
        remedy: "name a folder outside the package")
    }
    let file = "\(place)/\(name).png"
    try Folder.make(PathParts(file).folder)
    try PNGFile(image: image.samplesAlone).write(to: file)
  }

  /// The names on the way from the folder with Package.swift, or from the root where there is none.
  private static func partsInPackage(_ path: String) -> [String] {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    let package = parts.indices.last { fileExists("/" + parts[..<$0].joined(separator: "/") + "/Package.swift") }
    return parts[(package ?? 0)...].map(String.init)
  }
}

/// What to look at when a comparison failed; `swift test --attachments-path FOLDER` writes it there.
struct PictureAttachments {
  let name: String
  let actual: Image
  /// Nil where the pictures could not be compared.
  let difference: ImageDifference?

  func record(_ sourceLocation: SourceLocation) throws {
    var pictures = [("actual", actual)]
    if let difference {
      pictures += [("expected", difference.expected), ("difference", DifferencePicture(difference).image)]
    }
    let stem = name.split(separator: "/").joined(separator: "-")
    for (kind, image) in pictures {
      Attachment.record(
        try PNGEncoder.encode(PNGFile(image: image.samplesAlone)), named: "\(stem)-\(kind).png",
        sourceLocation: sourceLocation)
    }
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
