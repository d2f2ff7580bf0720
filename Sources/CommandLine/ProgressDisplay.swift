import ArgumentParser
import Safelight

enum ProgressStyle: String, ExpressibleByArgument, CaseIterable { case auto, bar, plain, json, none }

final class ProgressDisplay: Sendable {
  init(_ style: ProgressStyle, total: Int) {}
  func frameEnded(_ entry: FrameLedger.Entry) { if let e = entry.error { complain(e) } }
  func runEnded(_ ledger: FrameLedger) { Console.line("\(ledger.count(.done)) done in \(ledger.seconds)") }
}
final class ContactSheetCollector: Sendable {
  init(frames: [Frame]) {}
  func add(_ f: Frame, before: Image, after: Image) {}
  func image() -> Image? { nil }
}
