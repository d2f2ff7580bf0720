internal import SafelightFrames
internal import SafelightGolden
internal import SafelightImage
internal import Testing

/// What to look at when a comparison failed; `swift test --attachments-path FOLDER` writes it there.
struct PictureAttachments {
  let name: String
  let actual: Image
  /// Nil where the pictures could not be compared.
  let difference: ImageDifference?

  func record(_ sourceLocation: SourceLocation) throws {
    var pictures = [("actual", actual)]
    if let difference {
      pictures += [("expected", difference.expected), ("difference", DifferencePicture(difference).image)]
    }
    let stem = name.split(separator: "/").joined(separator: "-")
    for (kind, image) in pictures {
      Attachment.record(
        try PNGEncoder.encode(PNGFile(image: image.samplesAlone)), named: "\(stem)-\(kind).png",
        sourceLocation: sourceLocation)
    }
  }
}
