public import SafelightGPU
import SafelightShaders
import Testing

extension CommandBuffer {
  /// Records everything in `recording` again, with `find` replaced by `replacement` in the GLSL of its functions; twins
  /// stay.
  ///
  /// The text must occur: a defect that is not planted proves nothing.
  public func record(_ recording: Recording, replacing find: String, by replacement: String) throws {
    var isPlanted = false
    func planted(_ function: ShaderFunction) -> ShaderFunction {
      let text = function.assembly.parts.map(\.contents).joined(separator: "\n").withIncludes
      isPlanted = isPlanted || text.contains(find)
      let wrong = text.split(separator: find, omittingEmptySubsequences: false).joined(separator: replacement)
      return ShaderFunction(
        name: function.name, assembly: ShaderAssembly(texts: [wrong], constants: function.assembly.constants),
        arguments: function.arguments, twin: function.twin)
    }
    for entry in recording.commands {
      switch entry.command {
      case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost: break
      case .dispatch(let dispatch):
        let encoder = makeComputeCommandEncoder(label: entry.label)
        encoder.bindings = dispatch.bindings
        encoder.setComputePipelineState(ComputePipelineState(planted(dispatch.pipeline.function)))
        encoder.dispatchThreads(dispatch.threads, threadsPerThreadgroup: dispatch.threadsPerThreadgroup)
        encoder.endEncoding()
      case .draw(let draw):
        let encoder = makeRenderCommandEncoder(draw.pass, label: entry.label)
        encoder.bindings = draw.bindings
        encoder.setRenderPipelineState(RenderPipelineState(fullScreen: planted(draw.pipeline.fragment)))
        // All that kernels draw.
        encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
        encoder.endEncoding()
      case .clear(let pass): makeRenderCommandEncoder(pass, label: entry.label).endEncoding()
      default:
        let encoder = makeBlitCommandEncoder(label: entry.label)
        encoder.append(entry.command)
        encoder.endEncoding()
      }
    }
    try #require(isPlanted, "'\(find)' occurs in no function of the recording")
  }
}

extension Recording {
  /// The functions that it runs, in order.
  public var shaderFunctions: [ShaderFunction] {
    commands.compactMap { entry in
      switch entry.command {
      case .dispatch(let dispatch): dispatch.pipeline.function
      case .draw(let draw): draw.pipeline.fragment
      default: nil
      }
    }
  }

  /// Whether one of its functions is compiled with the constant `name` of this text.
  public func hasFunction(defining name: String, as text: String) -> Bool {
    shaderFunctions.contains { $0.assembly.constants.contains { $0.name == name && $0.text == text } }
  }

  /// Whether the GLSL of one of its functions contains `text`.
  public func hasFunction(containing text: String) -> Bool {
    shaderFunctions.contains { $0.assembly.parts.contains { $0.contents.withIncludes.contains(text) } }
  }
}

extension String {
  /// The text with the package's texts in the place of its `#include` lines, theirs included, each once.
  fileprivate var withIncludes: String {
    var (text, included) = (self, Set<ShaderSource>())
    while let line = text.firstMatch(of: /#include "(.+)"/), let source = ShaderSource(rawValue: String(line.output.1))
    {
      text.replaceSubrange(line.range, with: included.insert(source).inserted ? source.text : "")
    }
    return text
  }
}
