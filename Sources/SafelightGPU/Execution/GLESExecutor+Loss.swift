internal import SafelightGLES
internal import SafelightImage

/// A lost context whose buffers the process has as memory: it may look at them as long as the device is open.
struct RetiredContext {
  let context: Context
  var buffers: [BufferObject]
}

extension GLESExecutor {
  var isLost: Bool { context.lossReason != nil }

  func simulateLoss() { context.simulateLoss() }

  func rebuild() throws(SafelightError) {
    let mapped = buffers.values.filter { unsafe $0.mapped != nil }
    drop()
    let old = context
    if !mapped.isEmpty { retired.append(RetiredContext(context: old, buffers: mapped)) }
    context = try Context(candidate, options: options)
    context.features = capabilities.features
    clock = DeviceClock(context)
    if !retired.contains(where: { $0.context === old }) { close(old) }
  }

  /// Closes what outlived its context, when nobody may look at it any more.
  func closeRetired() {
    for index in retired.indices {
      retired[index].context.makeCurrent()
      retired[index].buffers = []
      retired[index].context.close()
    }
    retired = []
  }

  private func close(_ old: Context) {
    old.makeCurrent()
    old.close()
    context.makeCurrent()
  }
}
