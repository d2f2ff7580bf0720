internal import Dispatch
internal import SafelightGLES
package import SafelightImage
internal import Synchronization

package struct DrawableConfiguration: Hashable, Sendable {
  var size: Size
  var pixelFormat: PixelFormat
  var framebufferOnly: Bool

  package init(size: Size, pixelFormat: PixelFormat, framebufferOnly: Bool) {
    self.size = size
    self.pixelFormat = pixelFormat
    self.framebufferOnly = framebufferOnly
  }
}

/// The resources of a drawable: a texture, and the memory its pixels are read into.
package final class DrawableSlot: Sendable {
  let configuration: DrawableConfiguration
  let texture: Texture
  let readback: Readback

  init(_ configuration: DrawableConfiguration, texture: Texture) {
    self.configuration = configuration
    self.texture = texture
    readback = Readback(configuration.size, configuration.pixelFormat)
  }
}

/// The slots of one view's drawables: at most ``capacity``, made when first needed and used in turn.
///
/// A slot is in use from the time a drawable is handed out until the sink has finished with its frame, so a slow sink
/// slows the drawing and memory stays bounded.
package final class DrawableRing: Sendable {
  package typealias Turn = (slot: DrawableSlot, id: Int)
  package typealias Outcome = Result<Turn?, SafelightError>

  private struct Waiter {
    let id: Int
    let wake: @Sendable (Outcome) -> Void
  }

  private struct State {
    var configuration: DrawableConfiguration
    var idle: [DrawableSlot] = []
    var inUse = 0
    var made = 0
    var lastDrawable = 0
    var lastWaiter = 0
    var waiters: [Waiter] = []
  }

  let device: Device
  let capacity: Int
  private let label: String
  private let state: Mutex<State>

  package init(device: Device, capacity: Int, configuration: DrawableConfiguration, label: String) {
    self.device = device
    self.capacity = capacity
    self.label = label
    state = Mutex(State(configuration: configuration))
  }

  package var made: Int { state.withLock { $0.made } }

  package var inUse: Int { state.withLock { $0.inUse } }

  /// Changes the slots that are handed out from now on; slots in use do not change, and are freed when they return.
  package func configure(_ configuration: DrawableConfiguration) {
    state.withLock { state in
      state.configuration = configuration
      state.idle.removeAll { $0.configuration != configuration }
    }
  }

  /// Takes the next slot; nil if all are in use, as they are whenever a caller of ``wait(_:)`` waits.
  package func take() throws(SafelightError) -> Turn? {
    try state.withLock { (state) throws(SafelightError) in
      try grant(&state)
    }
  }

  /// Calls `wake` with a slot, at once or when one returns; the result is the argument of ``giveUp(_:)``.
  package func wait(_ wake: @escaping @Sendable (Outcome) -> Void) -> Int {
    let (id, outcome) = state.withLock { state -> (Int, Outcome?) in
      state.lastWaiter += 1
      if let outcome = attempt(&state) { return (state.lastWaiter, outcome) }
      state.waiters.append(Waiter(id: state.lastWaiter, wake: wake))
      return (state.lastWaiter, nil)
    }
    if let outcome { wake(outcome) }
    return id
  }

  /// Wakes a waiter without a slot, unless it already has one.
  package func giveUp(_ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiters.remove(at: index)
    }
    waiter?.wake(.success(nil))
  }

  /// Takes a slot back, and gives it to the caller that has waited longest.
  package func giveBack(_ slot: DrawableSlot) {
    let served = state.withLock { state -> [(Waiter, Outcome)] in
      state.inUse -= 1
      if slot.configuration == state.configuration { state.idle.append(slot) }
      var served: [(Waiter, Outcome)] = []
      // If no slot can be made, none will return later to serve the others, so all waiters get the error.
      while !state.waiters.isEmpty, let outcome = attempt(&state) {
        served.append((state.waiters.removeFirst(), outcome))
      }
      return served
    }
    for (waiter, outcome) in served { waiter.wake(outcome) }
  }

  /// Returns the outcome for a waiter; nil if it has to wait.
  private func attempt(_ state: inout State) -> Outcome? {
    do throws(SafelightError) { return try grant(&state).map { .success($0) } } catch { return .failure(error) }
  }

  private func grant(_ state: inout State) throws(SafelightError) -> Turn? {
    guard state.inUse < capacity else { return nil }
    let slot: DrawableSlot
    if state.idle.isEmpty {
      slot = try makeSlot(state.configuration, number: state.made)
      state.made += 1
    } else {
      slot = state.idle.removeFirst()
    }
    state.inUse += 1
    state.lastDrawable += 1
    return (slot, state.lastDrawable)
  }

  private func makeSlot(_ configuration: DrawableConfiguration, number: Int) throws(SafelightError) -> DrawableSlot {
    let label = "\(label), drawable \(number)"
    let descriptor = TextureDescriptor(configuration.size, configuration.pixelFormat)
    try device.check(descriptor, label)
    let texture = Texture(
      descriptor, label: label, home: device.thread, isFramebufferOnly: configuration.framebufferOnly)
    return DrawableSlot(configuration, texture: texture)
  }
}
