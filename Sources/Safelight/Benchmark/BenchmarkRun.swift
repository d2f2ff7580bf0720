internal import SafelightGPU
internal import SafelightImage

/// A kernel on a device with a picture that lies there.
struct BenchmarkRun {
  private let scene: BenchmarkScene
  private let record: (any KernelScene) throws -> Void
  /// How often a command buffer does the work.
  private let count: Int

  /// Uploads, warms up and finds out how often the work must be done to be measured.
  init(device: Device, kernel: BenchmarkKernel, image: Image) throws {
    scene = try BenchmarkScene(device: device, image: image)
    record = try kernel.make(device)
    _ = try scene.seconds(count: 2, record)
    let once = try scene.seconds(count: 1, record)
    count = once > 0 ? min(64, max(1, Int((0.002 / once).rounded(.up)))) : 64
  }

  /// Seconds that the device needs for the kernel.
  func seconds() throws -> Double { try scene.seconds(count: count, record) / Double(count) }
}
