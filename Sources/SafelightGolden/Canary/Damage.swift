internal import Glibc
internal import SafelightImage

/// A kind of damage that pictures come to, planted to see whether a tolerance finds it.
struct PlantedDamage: Sendable {
  /// How much of a picture it takes, whatever the picture's size.
  enum Kind: Sendable {
    case place, column, row, everywhere
  }

  /// For people.
  let name: String
  let kind: Kind
  /// The scene damaged; nil where it has nothing to damage in this way.
  let plant: @Sendable (DamageScene) -> Image?

  /// What the scene of size `part` stands for in pictures of `size`.
  func extent(_ part: Size, in size: Size) -> Size {
    switch kind {
    case .place: size
    case .column: Size(size.width, part.height)
    case .row: Size(part.width, size.height)
    case .everywhere: part
    }
  }

  private init(_ name: String, _ kind: Kind, _ plant: @escaping @Sendable (DamageScene) -> Image?) {
    self.name = name
    self.kind = kind
    self.plant = plant
  }

  static let all = places + everywhere + otherPictures + colors + alpha

  /// What leaves nothing, or nothing in its place.
  static let otherPictures = [
    PlantedDamage("upside down", .everywhere) { scene in
      scene.picture.painted { x, y, sample, _ in scene.picture[x: x, y: scene.size.height - 1 - y, sample: sample] }
    },
    PlantedDamage("all black", .everywhere) { scene in scene.picture.painted { $2 < 3 ? 0 : $3 } },
  ]

  private static let places = [
    PlantedDamage("one hot pixel", .place) { scene in
      scene.picture.painted(in: square(scene, 1)) { $2 == 0 ? inverted($3, scene) : $3 }
    },
    PlantedDamage("a tile of 3×3 pixels a little brighter", .place) { scene in
      scene.picture.painted(in: square(scene, 3)) { $2 < 3 ? $3 + 2 * scene.step : $3 }
    },
    PlantedDamage("a tile of 8×8 pixels brighter", .place) { scene in
      scene.picture.painted(in: square(scene, 8)) { $2 < 3 ? $3 + 6 * scene.step : $3 }
    },
    PlantedDamage("a block of 16×16 pixels black", .place) { scene in
      scene.picture.painted(in: square(scene, 16)) { $2 < 3 ? 0 : $3 }
    },
    PlantedDamage("two tiles of 16×16 pixels swapped", .place) { scene in
      guard scene.size.width >= 64, scene.size.height >= 48 else { return nil }
      return scene.picture.painted(in: Region(x: 32, y: 32, width: 32, height: 16)) { x, y, sample, _ in
        scene.picture[x: x < 48 ? x + 16 : x - 16, y: y, sample: sample]
      }
    },
    PlantedDamage("a lost last column", .column) { scene in
      let last = Region(x: scene.size.width - 1, y: 0, width: 1, height: scene.size.height)
      return scene.picture.painted(in: last) { $2 < 3 ? 0 : $3 }
    },
    PlantedDamage("a last row that repeats the one above", .row) { scene in
      guard scene.size.height > 1 else { return nil }
      let last = Region(x: 0, y: scene.size.height - 1, width: scene.size.width, height: 1)
      return scene.picture.painted(in: last) { x, y, sample, _ in scene.picture[x: x, y: y - 1, sample: sample] }
    },
  ]

  private static let everywhere = [
    PlantedDamage("rounding down", .everywhere) { scene in
      scene.picture.painted { $2 < 3 && DamageScene.noise($0, $1, $2) & 1 == 0 ? $3 - 1 : $3 }
    },
    PlantedDamage("dithering by one step", .everywhere) { scene in
      scene.picture.painted { $2 < 3 ? $3 + (($0 + $1) & 1 == 0 ? 1 : -1) : $3 }
    },
    PlantedDamage("the lowest two bits lost", .everywhere) { scene in
      scene.picture.painted { $2 < 3 ? $3 & ~3 : $3 }
    },
    PlantedDamage("two per cent less light", .everywhere) { scene in
      scene.picture.painted { $2 < 3 ? ($3 * 98 + 50) / 100 : $3 }
    },
    PlantedDamage("a gamma of 2.4 for 2.2", .everywhere) { scene in
      let peak = Double(scene.peak)
      return scene.picture.painted { $2 < 3 ? Int((pow(Double($3) / peak, 2.4 / 2.2) * peak).rounded()) : $3 }
    },
    PlantedDamage("a blur of 3×3 pixels", .everywhere) { scene in
      scene.picture.painted { x, y, sample, _ in
        var sum = 0
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
          sum +=
            scene.picture[
              x: min(max(x + dx, 0), scene.size.width - 1), y: min(max(y + dy, 0), scene.size.height - 1),
              sample: sample]
        }
        return (2 * sum + 9) / 18
      }
    },
    PlantedDamage("thin lines missing", .everywhere) { $0.withoutLines },
    PlantedDamage("a shift by one pixel", .everywhere) { scene in
      scene.picture.painted { x, y, sample, _ in scene.picture[x: max(x - 1, 0), y: y, sample: sample] }
    },
    PlantedDamage("one frame late", .everywhere) { $0.nextFrame },
  ]

  private static let colors = [
    PlantedDamage("blue one step brighter", .everywhere) { scene in
      scene.channels.isGray ? nil : scene.picture.painted { $2 == 2 ? $3 + 1 : $3 }
    },
    PlantedDamage("red and blue swapped", .everywhere) { scene in
      guard !scene.channels.isGray else { return nil }
      return scene.picture.painted { x, y, sample, value in
        sample == 3 ? value : scene.picture[x: x, y: y, sample: 2 - sample]
      }
    },
    PlantedDamage("colours lost", .everywhere) { scene in
      guard !scene.channels.isGray else { return nil }
      return scene.picture.painted { x, y, sample, value in
        sample == 3 ? value : scene.picture[x: x, y: y, sample: 1]
      }
    },
  ]

  private static let alpha = [
    PlantedDamage("alpha lost", .everywhere) { scene in
      scene.channels.hasAlpha ? scene.picture.painted { $2 == 3 ? scene.peak : $3 } : nil
    },
    PlantedDamage("alpha of a tile of 8×8 pixels lower", .place) { scene in
      guard scene.channels.hasAlpha else { return nil }
      return scene.picture.painted(in: square(scene, 8)) { $2 == 3 ? $3 - 6 * scene.step : $3 }
    },
  ]

  /// A square off the middle, with nothing but slopes below it.
  private static func square(_ scene: DamageScene, _ edge: Int) -> Region {
    Region(x: scene.size.width * 5 / 8, y: scene.size.height / 8, width: edge, height: edge)
  }

  private static func inverted(_ value: Int, _ scene: DamageScene) -> Int {
    value > scene.peak / 2 ? value - 200 * scene.step : value + 200 * scene.step
  }
}
