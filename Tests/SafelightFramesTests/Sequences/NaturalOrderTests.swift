import SafelightFrames
import Testing

@Suite("Natural order")
struct NaturalOrderTests {
  @Test(
    "lists in the order in which people count",
    arguments: [
      ["frame1", "frame2", "frame9", "frame10", "frame100"],
      ["a", "a1", "a1b", "a2", "a10", "aa", "b"],
      ["1", "2", "10", "10a"],
      ["7", "18446744073709551615", "18446744073709551616", "999999999999999999999999"],
      ["take1/shot2", "take1/shot10", "take2/shot1", "take10/shot1"],
      ["take/1", "take-2/1", "take2/1"],
      ["f001", "f01", "f1", "f002", "f02"],
      ["shot.9.png", "shot.10.png", "shot.v2.png"],
      ["v1.2.10", "v1.10.2"],
    ])
  func order(names: [String]) {
    #expect(NaturalOrder.sorted(names) == names)
    #expect(NaturalOrder.sorted(names.reversed()) == names)
    for (index, left) in names.enumerated() {
      for (other, right) in names.enumerated() {
        #expect(NaturalOrder.precedes(Array(left.utf8), Array(right.utf8)) == (index < other), "\(left) \(right)")
      }
    }
  }
}
