import SafelightImage
import Testing

@Suite struct RegionTests {
  @Test func tilesCoverEveryPixelOnce() {
    let region = Region(x: 3, y: 5, width: 70, height: 33)
    let tiles = region.tiles(edge: 32)
    #expect(tiles.count == 6)
    #expect(tiles.map(\.size.area).reduce(0, +) == region.size.area)
    for (index, tile) in tiles.enumerated() {
      #expect(tile.intersection(region) == tile)
      for other in tiles[(index + 1)...] { #expect(tile.intersection(other).size.isEmpty) }
    }
  }

  @Test func intersectionOfDisjointRegionsIsEmpty() {
    let left = Region(x: 0, y: 0, width: 4, height: 4)
    #expect(left.intersection(Region(x: 4, y: 0, width: 4, height: 4)).size.isEmpty)
    #expect(left.intersection(.noClip) == left)
  }
}
