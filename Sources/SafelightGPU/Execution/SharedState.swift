internal import SafelightGLES
internal import SafelightImage

/// How memory that a replay shares with others and the device's copies of it differ.
struct SharedState {
  /// True until what is there was brought in: at the beginning, and behind each wait for an event.
  var isStale = true
  /// Textures of which the recording writes a copy.
  var copies: [Texture] = []
  /// Those of them that were written and not copied out since: only these may be, as the memory of all others may be somebody's again.
  private(set) var unsent: [ResourceID: Texture] = [:]
  /// Buffers that were written and not copied to the process since, which must not be overwritten by what it holds.
  private var changed: [ResourceID: Buffer] = [:]

  /// Buffers whose contents are newer than the process's.
  var newer: [Buffer] { Array(changed.values) }

  /// A command with `touches` was performed.
  mutating func note(_ touches: [ResourceTouch]) {
    for touch in touches where touch.kind.makesContents {
      switch touch.resource {
      case .texture(let texture):
        if copies.contains(where: { $0.lifetime === texture.lifetime }) { unsent[texture.lifetime.id] = texture }
      case .buffer(let buffer) where buffer.storageMode != .private: changed[buffer.lifetime.id] = buffer
      case .buffer: break
      }
    }
  }

  /// Everything was handed out; buffers of other devices than `thread`'s never are.
  mutating func published(by thread: DeviceThread) {
    unsent = [:]
    changed = changed.filter { $0.value.home !== thread }
  }
}

extension Recording {
  /// True where nothing is used before a wait for an event, behind which everything is brought in once more.
  var beginsWithWait: Bool {
    let first = commands.lazy.map(\.command).first { command in
      if case .waitForEvent = command { true } else { !command.touches.isEmpty }
    }
    guard case .waitForEvent = first else { return false }
    return true
  }
}

/// The rows of a plane in mapped memory; lives no longer than the call that hands the mapping out.
@safe struct SharedRows {
  let base: UnsafeMutableRawPointer
  let bytesPerRow: Int
  let size: Size
  let bytesPerPixel: Int
  /// Whether blue comes first; backends store red first.
  private let isBlueFirst: Bool
  /// Whether the fourth byte means nothing.
  private let isOpaque: Bool

  init(_ plane: SharedPlane, at base: UnsafeMutableRawPointer) {
    let format = plane.buffer.format
    unsafe self.base = unsafe base
    bytesPerRow = plane.buffer.planes[plane.index].stride
    size = format.size(ofPlane: plane.index, in: plane.buffer.size)
    bytesPerPixel = format.pixelFormat(ofPlane: plane.index).bytesPerPixel
    isBlueFirst = format.pixelFormat(ofPlane: plane.index) == .bgra8Unorm
    isOpaque = format.isOpaque
  }

  /// Bytes of all pixels.
  var byteCount: Int { size.area * bytesPerPixel }

  /// The distance of rows in pixels; nil where no whole number, as transfers of GL's ask for.
  var rowLength: Int? { bytesPerRow % bytesPerPixel == 0 ? bytesPerRow / bytesPerPixel : nil }

  /// Whether pixels lie as backends store them on the way in.
  var isReadAsStored: Bool { !isBlueFirst && !isOpaque }

  /// Whether pixels lie as backends store them on the way out.
  var isWrittenAsStored: Bool { !isBlueFirst }

  /// Copies all pixels to `target` as backends store them, without padding.
  func copy(to target: UnsafeMutableRawPointer) {
    let row = size.width * bytesPerPixel
    for y in 0..<size.height {
      let (from, to) = unsafe (base + y * bytesPerRow, target + y * row)
      if isReadAsStored {
        unsafe to.copyMemory(from: from, byteCount: row)
      } else {
        unsafe copyPixels(size.width, from: from, to: to, swapping: isBlueFirst, opaquely: isOpaque)
      }
    }
  }

  /// Copies all pixels from `source`, which has them as backends do, without padding.
  func copy(from source: UnsafeRawPointer) {
    let row = size.width * bytesPerPixel
    for y in 0..<size.height {
      let (from, to) = unsafe (source + y * row, base + y * bytesPerRow)
      if isWrittenAsStored {
        unsafe to.copyMemory(from: from, byteCount: row)
      } else {
        unsafe copyPixels(size.width, from: from, to: to, swapping: true, opaquely: false)
      }
    }
  }

  /// Copies pixels of four bytes, red and blue exchanged or the alpha made 255 on the way.
  private func copyPixels(
    _ count: Int, from: UnsafeRawPointer, to: UnsafeMutableRawPointer, swapping: Bool, opaquely: Bool
  ) {
    for x in 0..<count {
      var pixel = UInt32(littleEndian: unsafe from.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
      if swapping { pixel = (pixel & 0xff00_ff00) | ((pixel & 0xff) << 16) | ((pixel >> 16) & 0xff) }
      if opaquely { pixel |= 0xff00_0000 }
      unsafe to.storeBytes(of: pixel.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
    }
  }
}
