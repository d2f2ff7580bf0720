public import SafelightGPU
public import SafelightImage

/// A kernel that makes a few numbers of a picture, in its last pass, and leaves the picture as it is.
public protocol ReductionKernel: PassKernel {
  /// Returns what `numbers` of a picture like `image` say, each value with its name in reports.
  func values(of numbers: [UInt32], for image: ImageDescriptor) -> [(name: String, value: Double)]
}

extension ReductionKernel {
  /// One pipeline: numbers are not drawn.
  public static var pipelines: [PipelineKind] { [.automatic] }

  /// Returns the number of bytes that ``encode(to:source:into:offset:)`` writes.
  public func byteCount(of source: Texture) -> Int { reduction(of: source).byteCount }

  /// Records the making of the numbers of `source` into `memory`, words of 32 bits from byte `offset` on, a multiple
  /// of 4.
  public func encode(to buffer: CommandBuffer, source: Texture, into memory: Buffer, offset: Int = 0) {
    Self.checkFormat(of: source)
    reduction(of: source).encode(to: buffer, TiledTexture(source), into: memory, offset: offset)
  }

  private func reduction(of source: Texture) -> Reduction {
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    do throws(SafelightError) {
      return Reduction(plan: try plan(for: picture, edge: .max), call: Self.card.call(self))
    } catch {
      trap("\(Self.card.name) does not take '\(source.label)': \(error.why)")
    }
  }
}

/// The numbers of pictures of one kind.
struct Reduction {
  let plan: PassPlan
  /// The kernel's call, by which a capture finds the twins.
  let call: String

  var byteCount: Int { 4 * (plan.targets.last?.shape.size.width ?? 0) }

  func encode(to buffer: CommandBuffer, _ source: TiledTexture, into memory: Buffer, offset: Int) {
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset + byteCount <= memory.length,
      "\(plan.name): buffer '\(memory.label)' of \(memory.length) bytes has no room for \(byteCount) bytes from byte "
        + "\(offset) on")
    guard let last = plan.targets.last else { return }
    let recorder = PassRecorder(plan: plan, pipeline: .automatic, call: call, buffer: buffer)
    recorder.begin(last, in: memory, offset: offset)
    recorder.encode(
      plan.targets, [.picture: .picture(source), last.resource: .words(memory, offset: offset)])
  }
}
