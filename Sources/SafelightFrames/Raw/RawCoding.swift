import SafelightImage

/// Frames and nothing else.
struct RawCoding: StreamCoding {
  let format: VideoFormat
  let samples: StoredSamples

  var beginning: [UInt8] { [] }
  var frameBeginning: [UInt8] { [] }

  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool { true }
}
