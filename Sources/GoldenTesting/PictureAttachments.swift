internal import SafelightFrames
internal import SafelightGolden
internal import SafelightImage
internal import Testing

/// What to look at when a comparison failed; `swift test --attachments-path FOLDER` writes it there.
struct PictureAttachments {
  let name: String
  let expected: Image?
  let actual: Image
  var mask: ImageMask?

  func record(_ sourceLocation: SourceLocation) throws {
    var pictures = [("actual", actual)]
    if let expected {
      let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
      pictures += [("expected", expected), ("difference", DifferencePicture(difference).image)]
    }
    let stem = name.split(separator: "/").joined(separator: "-")
    for (kind, image) in pictures {
      Attachment.record(
        try PNGEncoder.encode(PNGFile(image: image)), named: "\(stem)-\(kind).png", sourceLocation: sourceLocation)
    }
  }
}
