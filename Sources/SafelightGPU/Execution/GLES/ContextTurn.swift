package import Dispatch
internal import Glibc
internal import Synchronization

/// Workaround "one llvmpipe context at a time".
///
/// Symptom: SIGSEGV in `lp_scene_is_resource_referenced`. To map a texture or buffer, llvmpipe checks whether a scene
/// of any context of the display uses it, while the thread of another context frees that scene
/// (llvmpipe_flush_resource, lp_scene_end_rasterization; later versions lock the scene). Driver: llvmpipe, Mesa 22.3.6,
/// once in about six runs of the whole suite. Test: TwoDevicesDeviceTests proves the turns and repeats what crashed,
/// but crashes too rarely by itself. Remove it once every supported Mesa has that lock.
///
/// The contexts of a process take turns, one call of a ``GLESBackend`` each; llvmpipe uses all CPUs for one context
/// anyway.
package enum ContextTurn {
  private static let kept = Mutex<(process: pid_t, turn: DispatchSemaphore)?>(nil)

  /// The turn of this process. A fork has its own, as another thread may hold the parent's during the fork.
  package static var ofThisProcess: DispatchSemaphore {
    kept.withLock { kept in
      let process = getpid()
      if let kept, kept.process == process { return kept.turn }
      let turn = DispatchSemaphore(value: 1)
      kept = (process, turn)
      return turn
    }
  }
}
