import SafelightGLES
import SafelightGPU
import SafelightImage
import SafelightShaders
import Testing

/// The bits are those of ES 3.1 §7.12.2; no software renderer would show a missing barrier.
@Suite struct BarrierPlanTests {
  private typealias Use = BarrierPlan.Use

  private let a = ResourceID()
  private let b = ResourceID()

  /// Uses of a shader's writes by the next command, and the barrier bit that each needs.
  private static let nextUses: [(BarrierPlan.Access, BarrierMask)] = [
    (.sampledTexture, .textureFetch), (.storageTextureWrite, .storageTexture), (.storageBufferRead, .storageBuffer),
    (.storageBufferWrite, .storageBuffer), (.renderTarget, .framebuffer), (.textureUpdate, .textureUpdate),
    (.textureRead, .framebuffer), (.bufferUpdate, .bufferUpdate), (.bufferRead, .bufferUpdate),
  ]

  /// A barrier orders only the uses it names: reads of other resources still need one.
  @Test func aBarrierForBuffersDoesNotOrderStoresToTextures() {
    let (texture, buffer) = (ResourceID(), ResourceID())
    var plan = BarrierPlan()
    _ = plan.barrier(before: [
      BarrierPlan.Use(resource: texture, access: .sampledTexture),
      BarrierPlan.Use(resource: buffer, access: .storageBufferWrite),
    ])
    #expect(plan.barrier(before: [BarrierPlan.Use(resource: buffer, access: .bufferRead)]) == .bufferUpdate)
    #expect(plan.barrier(before: [BarrierPlan.Use(resource: texture, access: .storageTextureWrite)]) == .storageTexture)
  }

  /// After a kernel's write, each use waits with the bit that OpenGL ES names for it (ES 3.1 §7.12.2).
  @Test func everyUseHasItsBit() {
    let uses: [(BarrierPlan.Access, BarrierMask)] = [
      (.uniformRead, [.uniform, .bufferUpdate]), (.indirectRead, .command),
      (.pixelTransfer, [.pixelBuffer, .bufferUpdate]),
      (.textureCopy, [.textureUpdate, .framebuffer]), (.sharedMemoryRead, [.sharedMemory, .bufferUpdate]),
      (.vertexBufferRead, .vertexAttributes), (.indexBufferRead, .elements),
    ]
    for (access, mask) in uses {
      let resource = ResourceID()
      var plan = BarrierPlan()
      _ = plan.barrier(before: [BarrierPlan.Use(resource: resource, access: .storageBufferWrite)])
      #expect(plan.barrier(before: [BarrierPlan.Use(resource: resource, access: access)]) == mask)
      #expect(plan.barrier(before: [BarrierPlan.Use(resource: resource, access: access)]).isEmpty, "once is enough")
    }
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
        #expect(plan.barrier(before: [Use(resource: a, access: write)]) == [])
        #expect(plan.barrier(before: [Use(resource: a, access: access)]) == bit, "\(write), then \(access)")
      }
    }
  }

  @Test func theSameUseNeedsItOnce() {
    for (access, bit) in Self.nextUses where !access.isShaderWrite {
      var plan = BarrierPlan()
      _ = plan.barrier(before: [Use(resource: a, access: .storageTextureWrite)])
      #expect(plan.barrier(before: [Use(resource: a, access: access)]) == bit)
      #expect(plan.barrier(before: [Use(resource: a, access: access)]) == [])
    }
  }

  @Test func anotherUseNeedsItsOwnBitStill() {
    var plan = BarrierPlan()
    _ = plan.barrier(before: [Use(resource: a, access: .storageTextureWrite)])
    #expect(plan.barrier(before: [Use(resource: a, access: .sampledTexture)]) == .textureFetch)
    #expect(plan.barrier(before: [Use(resource: a, access: .textureRead)]) == .framebuffer)
    #expect(plan.barrier(before: [Use(resource: a, access: .renderTarget)]) == [])
    #expect(plan.barrier(before: [Use(resource: a, access: .sampledTexture)]) == [])
  }

  @Test func writesOfOneDispatchAfterAnotherAreOrdered() {
    var plan = BarrierPlan()
    let write = [Use(resource: a, access: .storageBufferWrite)]
    #expect(plan.barrier(before: write) == [])
    #expect(plan.barrier(before: write) == .storageBuffer)
    #expect(plan.barrier(before: write) == .storageBuffer)
  }

  @Test func independentResourcesNeedNone() {
    var plan = BarrierPlan()
    _ = plan.barrier(before: [Use(resource: a, access: .storageTextureWrite)])
    for (access, _) in Self.nextUses where !access.isShaderWrite {
      #expect(plan.barrier(before: [Use(resource: b, access: access)]) == [])
    }
    // The uses of b did not take the barrier that a still needs.
    #expect(plan.barrier(before: [Use(resource: a, access: .sampledTexture)]) == .textureFetch)
  }

  @Test func oneBarrierServesAllResources() {
    var plan = BarrierPlan()
    _ = plan.barrier(before: [
      Use(resource: a, access: .storageTextureWrite), Use(resource: b, access: .storageTextureWrite),
    ])
    #expect(plan.barrier(before: [Use(resource: a, access: .sampledTexture)]) == .textureFetch)
    #expect(plan.barrier(before: [Use(resource: b, access: .sampledTexture)]) == [])
  }

  @Test func aCommandWithSeveralUsesGetsAllTheirBits() {
    var plan = BarrierPlan()
    _ = plan.barrier(before: [
      Use(resource: a, access: .storageTextureWrite), Use(resource: b, access: .storageBufferWrite),
    ])
    let mask = plan.barrier(before: [
      Use(resource: a, access: .sampledTexture), Use(resource: b, access: .storageBufferRead),
    ])
    #expect(mask == [.textureFetch, .storageBuffer])
  }

  @Test func aShaderThatWritesWaitsForTheReaders() {
    for (read, write, bit) in [
      (BarrierPlan.Access.sampledTexture, BarrierPlan.Access.storageTextureWrite, BarrierMask.storageTexture),
      (.storageBufferRead, .storageBufferWrite, .storageBuffer), (.uniformRead, .storageBufferWrite, .storageBuffer),
      (.vertexBufferRead, .storageBufferWrite, .storageBuffer),
      (.indexBufferRead, .storageBufferWrite, .storageBuffer), (.indirectRead, .storageBufferWrite, .storageBuffer),
    ] {
      var plan = BarrierPlan()
      #expect(plan.barrier(before: [Use(resource: a, access: read)]) == [])
      #expect(plan.barrier(before: [Use(resource: b, access: write)]) == [])
      #expect(plan.barrier(before: [Use(resource: a, access: write)]) == bit)
    }
  }

  @Test func readingAfterReadingNeedsNone() {
    var plan = BarrierPlan()
    for _ in 0..<3 {
      #expect(plan.barrier(before: [Use(resource: a, access: .sampledTexture)]) == [])
      #expect(plan.barrier(before: [Use(resource: b, access: .storageBufferRead)]) == [])
    }
  }

  /// OpenGL ES itself orders uploads, draws and copies.
  @Test func whatIsNoShaderWriteNeedsNone() {
    var plan = BarrierPlan()
    for before in [BarrierPlan.Access.textureUpdate, .renderTarget, .textureRead, .bufferUpdate, .bufferRead] {
      _ = plan.barrier(before: [Use(resource: a, access: before)])
      for (access, _) in Self.nextUses where !access.isShaderWrite {
        #expect(plan.barrier(before: [Use(resource: a, access: access)]) == [], "\(before), then \(access)")
      }
    }
  }

  @Test func aForgottenResourceNeedsNone() {
    var plan = BarrierPlan()
    _ = plan.barrier(before: [
      Use(resource: a, access: .storageTextureWrite), Use(resource: b, access: .sampledTexture),
    ])
    plan.forget(a)
    plan.forget(b)
    #expect(plan.barrier(before: [Use(resource: a, access: .sampledTexture)]) == [])
    #expect(plan.barrier(before: [Use(resource: b, access: .storageTextureWrite)]) == [])
  }

  @Test func usesComeFromTheArgumentsOfAFunction() throws {
    let device = try Device.open(.cpu)
    var bindings = Bindings()
    for index in 0..<3 { bindings.textures[index] = try device.makeTexture(.init(1, 1), .rgba8Unorm) }
    for index in 3..<6 { bindings.buffers[index] = try device.makeBuffer(length: 4) }
    bindings.setBytes(UInt32(0), index: 6)
    let function = ShaderFunction(
      name: "all", assembly: .init(texts: []),
      arguments: [.sampledTexture(0), .storageTexture(1), .readBuffer(3), .storageBuffer(4), .bytes(6)])
    let uses = bindings.touches(of: function).map(\.use)
    // Texture 2 and buffer 5 are bound, but the function does not use them.
    #expect(uses.map(\.access) == [.sampledTexture, .storageTextureWrite, .storageBufferRead, .storageBufferWrite])
    #expect(
      uses.map(\.resource) == [
        bindings.textures[0]?.lifetime.id, bindings.textures[1]?.lifetime.id, bindings.buffers[3]?.lifetime.id,
        bindings.buffers[4]?.lifetime.id,
      ])
  }
}
