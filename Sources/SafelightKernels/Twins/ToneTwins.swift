internal import SafelightGPU
internal import SafelightImage

extension ImageLookup {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "lookup", textures: [2]) { format, arguments, macros in
      let table = arguments.texture(2)
      guard PixelFormat.pointFormats.contains(format), let lookedUp = macros["LOOKED_UP", 1...format.samplesPerPixel],
        lookedUp >= min(format.samplesPerPixel, 3), table.pixelFormat == .rgba16Uint,
        table.size == Texture.tableSize(format.bytesPerSample == 1 ? .bits8 : .bits16)
      else { return nil }
      return twin(lookedUp: lookedUp)
    }
  }
}

extension ImageContrastStretch {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("stretch_transform", stored: [1], buffers: [0], bytes: [2]) { arguments, macros in
      let words = arguments.words(2)
      let count = unsafe arguments.buffer(0).withWords { $0.count }
      let table = arguments.texture(1)
      guard let entries = macros["ENTRIES", 256...65536], let planes = macros["PLANES", 1...3], planes != 2,
        let isLinked = macros[isSet: "IS_LINKED"], let bits = macros["SAMPLE_BITS", 8...16], entries == 1 << bits,
        words.count >= 3, words[1] < 65536, words[2] < 65536, words[1] + words[2] < 65536,
        Int(words[0]) + planes * entries <= count, table.pixelFormat == .rgba16Uint,
        table.size == Size(256, entries / 256)
      else { return nil }
      return transformTwin(entries: entries, planes: planes, isLinked: isLinked)
    }
  }
}

extension ImageColorCube {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "color_cube", textures: [2], bytes: [4]) { format, arguments, macros in
      let cube = arguments.texture(2)
      let words = arguments.words(4)
      guard takes(format), let hasDomain = macros[isSet: "HAS_DOMAIN"], let size = words.first.map({ Int($0) }),
        ColorCube.sizes.contains(size), cube.pixelFormat == .rgba16Uint, cube.size.width == ColorCube.textureWidth,
        cube.size.area >= size * size * size
      else { return nil }
      if hasDomain {
        guard arguments.has(textures: [3]) else { return nil }
        let positions = arguments.texture(3)
        let scale = ColorCube.scale(format.bytesPerSample == 1 ? .bits8 : .bits16, hasDomain: true)
        guard positions.pixelFormat == .rgba16Uint,
          positions.size == Texture.tableSize(format.bytesPerSample == 1 ? .bits8 : .bits16),
          unsafe positions.withSamples(of: UInt16.self, { unsafe $0.allSatisfy { $0 <= scale } })
        else { return nil }
      }
      return twin(hasDomain: hasDomain)
    }
  }
}
