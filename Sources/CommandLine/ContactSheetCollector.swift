import Safelight
import Synchronization

/// Gathers the pictures of a contact sheet from the codec threads.
final class ContactSheetCollector: Sendable {
  private let sheet: Mutex<ContactSheet>
  /// The place of each frame in this run, by its index in the list.
  private let places: [Int: Int]

  /// Chooses a few of `frames`.
  init(frames: [Frame]) {
    sheet = Mutex(ContactSheet(total: frames.count))
    places = Dictionary(uniqueKeysWithValues: frames.enumerated().map { ($1.index, $0) })
  }

  /// Takes a finished frame; those that were not chosen cost nothing.
  func add(_ frame: Frame, before: Image, after: Image) {
    guard let place = places[frame.index] else { return }
    sheet.withLock { $0.add(place, name: frame.name, before: before, after: after) }
  }

  /// The sheet; nil when no frame was finished.
  func image() -> Image? { sheet.withLock { $0.image() } }
}
