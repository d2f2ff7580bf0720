import Foundation
import SafelightFrames
import SafelightImage

/// A folder of pictures that is removed with its owner.
final class PictureFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) was not removed: \(error)") }
  }

  /// Returns the path of `name` inside.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes `image` to the file `name`, in folders made as needed; returns its path.
  @discardableResult
  func write(_ name: String, _ image: Image) throws -> String {
    try write(name, bytes: PNGEncoder.encode(PNGFile(image: image)))
  }

  /// Writes `bytes` to the file `name`, in folders made as needed; returns its path.
  @discardableResult
  func write(_ name: String, bytes: [UInt8]) throws -> String {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// Writes a picture for each number, as `folder/f0007.png`.
  func write(_ folder: String, frames: [(number: Int, image: Image)]) throws {
    for (number, image) in frames { try write("\(folder)/f\(String(format: "%04d", number)).png", image) }
  }
}
