/// The entry that each of the source's entries gets, by the rule as it is documented: every desired entry that counts is tried.
///
/// Nil where a histogram is empty.
func expectedSpecification(source: [UInt32], desired: [UInt32]) -> [Int]? {
  func sums(_ counts: [UInt32]) -> [Int128] {
    var sum: Int128 = 0
    return counts.map { count in
      sum += Int128(count)
      return sum
    }
  }
  let (sourceSums, desiredSums) = (sums(source), sums(desired))
  guard let total = sourceSums.last, let desiredTotal = desiredSums.last, total > 0, desiredTotal > 0 else {
    return nil
  }
  let counted = desired.indices.filter { desired[$0] > 0 }
  var known: [Int128: Int] = [:]
  return sourceSums.map { sum in
    if let entry = known[sum] { return entry }
    var best = counted[0]
    for entry in counted {
      let distance = (desiredSums[entry] * total - sum * desiredTotal).magnitude
      if distance < (desiredSums[best] * total - sum * desiredTotal).magnitude { best = entry }
    }
    known[sum] = best
    return best
  }
}
