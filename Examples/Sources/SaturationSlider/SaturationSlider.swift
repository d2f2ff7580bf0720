import ArgumentParser
import Running
import Safelight

/// Runs one kernel with one parameter, for each place of a slider.
@main struct SaturationSlider: AsyncParsableCommand {
  @OptionGroup var arguments: RunArguments

  @Option(parsing: .upToNextOption, help: "Places of the slider: 0 is grey, 1 the picture as it is.")
  var values: [Float] = [0, 0.25, 0.5, 1, 1.5]

  func run() async throws {
    let path = arguments.input ?? "fixtures/dark-room/frame0012.png"
    let picture = try PNGFile(reading: path).image
    let device = try arguments.openDevice()
    let kernel = try SaturationKernel(device: device, picture: picture)
    let places = values.indices.map { Frame(index: $0, number: $0 + 1, path: "/dev/null/place.\($0 + 1).png") }
    let output = try FrameOutput(arguments.out, for: places)
    try output.prepare()
    for (value, file) in zip(values, output.paths) {
      try PNGFile(image: kernel.apply(value)).write(to: file)
    }
    print("SaturationSlider: 1 picture in, \(values.count) pictures made, on \(device.name)")
  }
}
