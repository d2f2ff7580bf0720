internal import Dispatch
internal import SafelightGLES

/// Workaround "one llvmpipe context at a time".
///
/// Symptom: SIGSEGV in `lp_scene_is_resource_referenced`. To map a texture or a buffer llvmpipe looks whether a scene
/// of any context of the display uses it, while the thread of another context frees that scene
/// (llvmpipe_flush_resource, lp_scene_end_rasterization; later versions lock the scene). Driver: llvmpipe, Mesa 22.3.6,
/// once in about six runs of the whole suite. Test: TwoDevicesDeviceTests does what crashed, but too rarely crashes by
/// itself to prove it. It can go with the last supported Mesa without that lock.
///
/// The contexts of a process take turns, a command each; llvmpipe uses all CPUs for one context anyway.
struct ContextTurn {
  private static let llvmpipe = DispatchSemaphore(value: 1)

  /// Nil for drivers that need no turns.
  private let semaphore: DispatchSemaphore?

  init(_ context: Context) {
    semaphore = context.renderer.lowercased().contains("llvmpipe") ? Self.llvmpipe : nil
  }

  /// Waits until no other context is in a call. Not to be nested, and not held while handlers run.
  func take() { semaphore?.wait() }

  func giveBack() { semaphore?.signal() }
}
