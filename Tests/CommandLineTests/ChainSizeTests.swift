import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// Chains whose pictures have another size behind them.
@Suite struct ChainSizeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 -pix_fmt yuv420p -c:v libx264 in.mp4")
  }

  /// ffmpeg's own crop is the judge of what comes out of PNG files.
  @Test(arguments: ["cpu", "software"]) func picturesAndFilmsHaveTheSizeOfTheResult(_ device: String) throws {
    try folder.shell(
      """
      mkdir in their; ffmpeg -v error -i in.mp4 in/%d.png; ffmpeg -v error -i in/%d.png -vf crop=20:12:9:7 their/%d.png
      safelight process in -o out/ --filter crop=width=20:height=12:x=9:y=7 --device \(device)
      safelight compare their out --alpha-opaque
      safelight process in.mp4 -o out.mp4 --filter crop=width=20:height=12:x=9:y=7,median --device \(device)
      safelight process in -o made.mkv --lossless --filter crop=x=1,gamma=1.2 --device \(device)
      """)
    for (name, size) in [("out.mp4", "20,12,3"), ("made.mkv", "63,48,3")] {
      let probed = try folder.shell(
        "ffprobe -v error -count_packets -show_entries stream=width,height,nb_read_packets -of csv=p=0 \(name)")
      #expect(probed.output == "\(size)\n")
    }
  }

  @Test(arguments: [
    ("crop=width=65", "crop=width=65:height=0:x=0:y=0: it reaches beyond the picture of 64×48"),
    ("crop=x=40,crop=width=30", "beyond the picture of 24×48"), ("crop=y=48", "beyond the picture"),
  ])
  func rectanglesOutsideAreRefused(_ filter: String, _ text: String) throws {
    let outcome = try folder.shell("safelight process in.mp4 -o out/ --filter \(filter) --device cpu", code: 65)
    #expect(outcome.errors.contains(text), "\(outcome.errors)")
    #expect(try folder.allNames("out").isEmpty)
  }
}
