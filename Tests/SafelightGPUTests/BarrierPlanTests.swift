import SafelightGLES
import SafelightGPU
import Testing

extension BarrierPlan {
  /// The barrier before a command of these uses.
  fileprivate mutating func barrier(_ uses: (ResourceID, Access)...) -> BarrierMask {
    barrier(before: uses.map { Use(resource: $0.0, access: $0.1) })
  }
}

/// The bits are those of ES 3.1 §7.12.2; no software renderer would show a missing barrier.
@Suite struct BarrierPlanTests {
  private let a = ResourceID()
  private let b = ResourceID()

  /// Uses of a shader's writes by the next command, and the bits that OpenGL ES names for each.
  private static let nextUses: [(BarrierPlan.Access, BarrierMask)] = [
    (.sampledTexture, .textureFetch), (.loadedTexture, .storageTexture), (.storageTextureWrite, .storageTexture),
    (.storageBufferRead, .storageBuffer), (.storageBufferWrite, .storageBuffer), (.renderTarget, .framebuffer),
    (.textureUpdate, .textureUpdate),
    (.textureRead, .framebuffer), (.bufferUpdate, .bufferUpdate), (.bufferRead, .bufferUpdate),
    (.uniformRead, [.uniform, .bufferUpdate]), (.indirectRead, .command),
    (.pixelTransfer, [.pixelBuffer, .bufferUpdate]), (.textureCopy, [.textureUpdate, .framebuffer]),
    (.sharedMemoryRead, [.sharedMemory, .bufferUpdate]), (.vertexBufferRead, .vertexAttributes),
    (.indexBufferRead, .elements),
  ]

  /// A barrier orders only the uses it names: reads of other resources still need one.
  @Test func aBarrierForBuffersDoesNotOrderStoresToTextures() {
    var plan = BarrierPlan()
    _ = plan.barrier((a, .sampledTexture), (b, .storageBufferWrite))
    #expect(plan.barrier((b, .bufferRead)) == .bufferUpdate)
    #expect(plan.barrier((a, .storageTextureWrite)) == .storageTexture)
  }

  @Test func bitsAreThoseOfOpenGLES() {
    let values: [(BarrierMask, UInt32)] = [
      (.uniform, 0x4), (.textureFetch, 0x8), (.storageTexture, 0x20), (.textureUpdate, 0x100), (.bufferUpdate, 0x200),
      (.framebuffer, 0x400), (.storageBuffer, 0x2000), (.vertexAttributes, 0x1), (.elements, 0x2), (.command, 0x40),
      (.pixelBuffer, 0x80), (.sharedMemory, 0x4000),
    ]
    for (mask, value) in values { #expect(mask.rawValue == value) }
    #expect(BarrierMask.all.rawValue == values.reduce(0) { $0 | $1.1 })
  }

  @Test func eachUseAfterAShaderWriteNeedsItsBit() {
    for write in [BarrierPlan.Access.storageTextureWrite, .storageBufferWrite] {
      for (access, bit) in Self.nextUses {
        var plan = BarrierPlan()
        #expect(plan.barrier((a, write)) == [])
        #expect(plan.barrier((a, access)) == bit, "\(write), then \(access)")
        if !access.isShaderWrite { #expect(plan.barrier((a, access)) == [], "\(access): once is enough") }
      }
    }
  }

  @Test func anotherUseNeedsItsOwnBitStill() {
    var plan = BarrierPlan()
    _ = plan.barrier((a, .storageTextureWrite))
    #expect(plan.barrier((a, .sampledTexture)) == .textureFetch)
    #expect(plan.barrier((a, .textureRead)) == .framebuffer)
    #expect(plan.barrier((a, .renderTarget)) == [])
    #expect(plan.barrier((a, .sampledTexture)) == [])
  }

  @Test func writesOfOneDispatchAfterAnotherAreOrdered() {
    var plan = BarrierPlan()
    #expect(plan.barrier((a, .storageBufferWrite)) == [])
    #expect(plan.barrier((a, .storageBufferWrite)) == .storageBuffer)
    #expect(plan.barrier((a, .storageBufferWrite)) == .storageBuffer)
  }

  @Test func independentResourcesNeedNone() {
    var plan = BarrierPlan()
    _ = plan.barrier((a, .storageTextureWrite))
    for (access, _) in Self.nextUses where !access.isShaderWrite {
      #expect(plan.barrier((b, access)) == [])
    }
    // The uses of b did not take the barrier that a still needs.
    #expect(plan.barrier((a, .sampledTexture)) == .textureFetch)
  }

  @Test func oneBarrierServesAllResources() {
    var plan = BarrierPlan()
    _ = plan.barrier((a, .storageTextureWrite), (b, .storageTextureWrite))
    #expect(plan.barrier((a, .sampledTexture)) == .textureFetch)
    #expect(plan.barrier((b, .sampledTexture)) == [])
  }

  @Test func aCommandWithSeveralUsesGetsAllTheirBits() {
    var plan = BarrierPlan()
    _ = plan.barrier((a, .storageTextureWrite), (b, .storageBufferWrite))
    #expect(plan.barrier((a, .sampledTexture), (b, .storageBufferRead)) == [.textureFetch, .storageBuffer])
  }

  @Test func aShaderThatWritesWaitsForTheReaders() {
    for (read, write, bit) in [
      (BarrierPlan.Access.sampledTexture, BarrierPlan.Access.storageTextureWrite, BarrierMask.storageTexture),
      (.loadedTexture, .storageTextureWrite, .storageTexture),
      (.storageBufferRead, .storageBufferWrite, .storageBuffer), (.uniformRead, .storageBufferWrite, .storageBuffer),
      (.vertexBufferRead, .storageBufferWrite, .storageBuffer),
      (.indexBufferRead, .storageBufferWrite, .storageBuffer), (.indirectRead, .storageBufferWrite, .storageBuffer),
    ] {
      var plan = BarrierPlan()
      #expect(plan.barrier((a, read)) == [])
      #expect(plan.barrier((b, write)) == [])
      #expect(plan.barrier((a, write)) == bit)
    }
  }

  @Test func readingAfterReadingNeedsNone() {
    var plan = BarrierPlan()
    for _ in 0..<3 {
      #expect(plan.barrier((a, .sampledTexture)) == [])
      #expect(plan.barrier((b, .storageBufferRead)) == [])
    }
  }

  /// OpenGL ES itself orders uploads, draws and copies.
  @Test func whatIsNoShaderWriteNeedsNone() {
    var plan = BarrierPlan()
    for before in [BarrierPlan.Access.textureUpdate, .renderTarget, .textureRead, .bufferUpdate, .bufferRead] {
      _ = plan.barrier((a, before))
      for (access, _) in Self.nextUses where !access.isShaderWrite {
        #expect(plan.barrier((a, access)) == [], "\(before), then \(access)")
      }
    }
  }

  @Test func aForgottenResourceNeedsNone() {
    var plan = BarrierPlan()
    _ = plan.barrier((a, .storageTextureWrite), (b, .sampledTexture))
    plan.forget(a)
    plan.forget(b)
    #expect(plan.barrier((a, .sampledTexture)) == [])
    #expect(plan.barrier((b, .storageTextureWrite)) == [])
  }
}
