import SafelightImage

/// One run of a source through an intake. Whoever lets go of it ends it.
final class CaptureRun: Sendable {
  let intake: CaptureIntake
  private let pump: Task<Void, Never>

  /// `pump` gives the frames of the source to the intake until one is refused, and returns or throws as the source does.
  init(
    _ policy: CapturePolicy, reportsDrops: Bool,
    pump: @escaping @Sendable (CaptureIntake) async throws(SafelightError) -> Void
  ) {
    let intake = CaptureIntake(policy, reportsDrops: reportsDrops)
    self.intake = intake
    self.pump = Task {
      do throws(SafelightError) {
        try await pump(intake)
        intake.finish(nil)
      } catch {
        intake.finish(error)
      }
    }
  }

  deinit { stop() }

  func stop() {
    pump.cancel()
    intake.close()
  }

  /// Returns when the source is closed.
  func ended() async { await pump.value }
}
