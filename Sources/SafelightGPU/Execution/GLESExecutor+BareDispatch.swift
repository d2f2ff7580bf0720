internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    let program = try program(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1)))
    try finish("bare dispatches")
    let start = ThreadClock.now
    for _ in 0..<count {
      try program.use()
      try program.setThreadsPerGrid(Size(1, 1))
      try context.dispatch(threadgroups: Size(1, 1))
    }
    try context.flush()
    let seconds = ThreadClock.now - start
    try finish("bare dispatches")
    return seconds
  }
}
