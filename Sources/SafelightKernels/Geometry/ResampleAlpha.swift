internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// Colors times alpha before a picture is scaled, or divided by it after, as Pillow's `resize` does with pictures of
/// RGBA. In 16 bits too, so that nothing is rounded twice.
struct ResampleAlpha: BuiltInPassFunction {
  let isDivision: Bool
  let isDeep: Bool

  var name: String { "resample_alpha" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_DIVISION", isDivision), .init("IS_DEEP", isDeep)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (isDivision, isDeep) {
    case (false, false): unsafe memory.makeRows(by: operations.premultiply_8)
    case (false, true): unsafe memory.makeRows(by: operations.multiply_alpha_16)
    case (true, false): unsafe memory.makeRows(by: operations.unpremultiply_8)
    case (true, true): unsafe memory.makeRows(by: operations.unpremultiply_16)
    }
  }
}
