internal import SafelightGPU
internal import SafelightImage

extension ImageLookup {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "lookup") { format, arguments, macros in
      let table = arguments.texture(2)
      guard PixelFormat.pointFormats.contains(format), let lookedUp = macros["LOOKED_UP", 1...format.samplesPerPixel],
        lookedUp >= min(format.samplesPerPixel, 3), table.pixelFormat == .rgba16Uint,
        table.size == Texture.tableSize(format.bytesPerSample == 1 ? .bits8 : .bits16)
      else { return nil }
      return twin(lookedUp: lookedUp)
    }
  }
}
