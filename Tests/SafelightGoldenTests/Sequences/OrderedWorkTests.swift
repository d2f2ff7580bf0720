import SafelightGolden
import Synchronization
import Testing

@Suite struct OrderedWorkTests {
  private struct Stop: Error {}

  @Test(arguments: [1, 2, 7, 40])
  func resultsComeInOrder(_ jobs: Int) {
    var delivered: [Int] = []
    OrderedWork.run(30, jobs: jobs) {
      $0 * $0
    } deliver: { index, square in
      #expect(square == index * index)
      delivered.append(index)
    }
    #expect(delivered == Array(0..<30))
  }

  @Test func fewResultsAreOnTheWay() {
    let begun = Mutex(0)
    OrderedWork.run(100, jobs: 3) { _ in
      begun.withLock { $0 += 1 }
    } deliver: { index, _ in
      #expect(begun.withLock { $0 } <= index + 4)
    }
    #expect(begun.withLock { $0 } == 100)
  }

  @Test func whatDeliveryThrowsStopsTheRest() {
    let begun = Mutex(0)
    #expect(throws: Stop.self) {
      try OrderedWork.run(1000, jobs: 2) { _ in
        begun.withLock { $0 += 1 }
      } deliver: { index, _ in
        if index == 5 { throw Stop() }
      }
    }
    #expect(begun.withLock { $0 } < 20)
  }

  @Test func nothingIsDoneForNothing() {
    OrderedWork.run(0, jobs: 4) {
      $0
    } deliver: { _, _ in
      Issue.record("there is nothing to deliver")
    }
  }
}
