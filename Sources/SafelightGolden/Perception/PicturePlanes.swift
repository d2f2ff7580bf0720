internal import SafelightImage

extension ImageDifference {
  /// `sample` of every pixel of both pictures; behind the mask both have the expected one.
  func planes(_ sample: Int) -> (expected: Plane, actual: Plane) {
    (expected.plane(sample), compared.plane(sample))
  }

  /// Both pictures' luma, Y = 0.299 R + 0.587 G + 0.114 B, not rounded; grey is its own.
  var lumaPlanes: (expected: Plane, actual: Plane) {
    func luma(_ image: Image) -> Plane {
      if image.channels.isGray { return image.plane(0) }
      let (red, green, blue) = (image.plane(0), image.plane(1), image.plane(2))
      return Plane(red.width, red.height) {
        0.299 * red.values[$0] + 0.587 * green.values[$0] + 0.114 * blue.values[$0]
      }
    }
    return (luma(expected), luma(compared))
  }

  /// The actual picture, with the expected one's pixels behind the mask.
  private var compared: Image { mask?.hiding(in: actual, behind: expected) ?? actual }
}

extension Image {
  fileprivate func plane(_ sample: Int) -> Plane {
    let stride = pixelFormat.samplesPerPixel
    return switch depth {
    case .bits8: Plane(size.width, size.height) { Double(bytes[$0 * stride + sample]) }
    case .bits16:
      Plane(size.width, size.height) {
        let offset = 2 * ($0 * stride + sample)
        return Double(UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
      }
    }
  }
}
