import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageLookupDeviceTests {
  /// What becomes of `value` in a channel; no two channels agree.
  private static func output(_ value: Int, _ channel: Int, _ maximum: Int) -> Int {
    switch channel {
    case 0: (value * 7 + 3) % (maximum + 1)
    case 1: maximum - value
    case 2: (value * value + 5) % (maximum + 1)
    default: value ^ 0x55
    }
  }

  private static func tables(_ depth: SampleDepth, alpha: Bool) -> ChannelTables {
    func table(_ channel: Int) -> SampleTable {
      SampleTable(depth) { output($0, channel, depth == .bits8 ? 255 : 65535) }
    }
    return ChannelTables(red: table(0), green: table(1), blue: table(2), alpha: alpha ? table(3) : nil)
  }

  @Test(arguments: TestDevice.all, Picture.allFormats)
  func everySampleIsLookedUpInItsTable(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.device.canRead(format) else { return }
    for alpha in [false, true] {
      let kernel = ImageLookup(device: batch.device, alpha: alpha) { Self.tables($0, alpha: alpha) }
      // Every value of 16 bits, so that no entry lies elsewhere.
      for picture in Picture.sizes.map({ Picture($0, format) }) + [.everyValue(format)] {
        try batch.expectForms(kernel.encode, batch.source(picture), "\(picture), alpha \(alpha)") {
          picture.mapping(0..<(alpha ? 4 : 3)) { Self.output($1, $0, format.maximum) }
        }
      }
    }
    try batch.check()
  }

  /// A table is not part of what each frame uploads.
  @Test func recordingsUploadNoTable() throws {
    let batch = try Batch()
    let kernel = ImageLookup(device: batch.device, tables: Self.tables(.bits8, alpha: true))
    try batch.result(kernel.encode, batch.texture(.rgba8Unorm, Size(3, 2)))
    let uploads = batch.buffer.recording.commands.filter { if case .upload = $0.command { true } else { false } }
    #expect(uploads.isEmpty)
  }
}
