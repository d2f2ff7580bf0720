import TestSupport
import Testing

@testable import Safelight

/// The tests' test: a filter whose shader is wrong must differ from its twin.
@Suite struct FilterDefectDeviceTests {
  @Test(arguments: TestDevice.gles, PlantedDefect.all)
  func isFound(_ test: TestDevice, _ defect: PlantedDefect) throws {
    let device = try test.open()
    let image = SyntheticImage.noise.image(Size(19, 17), channels: .rgba, depth: .bits16)
    let source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source")
    let result = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "result")
    let chain = try FilterChain(parsing: defect.filter, device: device)
    let sound = device.makeCommandQueue().makeCommandBuffer(label: "sound")
    source.encodeUpload(of: image, to: sound)
    for filter in chain.filters { filter.encode(to: sound, source: source, destination: result) }
    let readback = result.encodeReadback(to: sound)
    let expected = try Device.open(.cpu).replay(sound.recording).contents(of: readback)

    let wrong = device.makeCommandQueue().makeCommandBuffer(label: "wrong")
    try wrong.record(sound.recording, replacing: defect.find, by: defect.replacement)
    wrong.commit()
    try wrong.waitUntilCompleted()
    #expect(try readback.contents() != expected)

    sound.commit()
    try sound.waitUntilCompleted()
    #expect(try readback.contents() == expected)
  }
}
