internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func perform(_ draw: Command.Draw) throws(SafelightError) {
    try draw.pipeline.fragment.reflection(nil).check(draw.bindings, of: draw.pipeline.fragment.name)
    let program = try program(draw.pipeline)
    let target = try object(draw.pass.texture)
    let targetUse = BarrierPlan.Use(resource: draw.pass.texture.hazard, access: .renderTarget)
    try order(BarrierPlan.uses(of: draw.pipeline.fragment, draw.bindings) + [targetUse])
    try program.use()
    try bind(draw.bindings, to: draw.pipeline.fragment, program)
    try begin(draw.pass, target)
    try context.drawTriangleStrip(vertexStart: draw.vertexStart, vertexCount: draw.vertexCount)
  }

  func begin(_ pass: RenderPassDescriptor, _ target: TextureObject) throws(SafelightError) {
    switch pass.loadAction {
    case .dontCare, .load: try target.bindRenderTarget()
    case .clear(let red, let green, let blue, let alpha): try target.clear(to: (red, green, blue, alpha))
    }
  }
}
