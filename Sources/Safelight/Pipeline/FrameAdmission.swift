internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels

/// The memory that the frames on their way may take together.
public enum MemoryBudget: Hashable, Sendable {
  /// Two thirds of what the machine has, or of what the process's control groups grant, as it is when a frame is begun.
  /// The rest is for the program itself, its drivers and other programs.
  case automatic
  /// So many bytes.
  case bytes(Int)

  /// The bytes; the largest number if no limit is known.
  package var byteCount: Int {
    switch self {
    case .automatic: MemorySize.ofThisProcess.value.map { $0 / 3 * 2 } ?? .max
    case .bytes(let count): count
    }
  }
}

/// What a frame takes of the memory, and how it goes through the filters.
struct FrameAdmission: Sendable {
  enum Way: Sendable {
    case whole
    /// In bands of about so many bytes, of each picture and its temporaries.
    case bands(Int)
    /// Not at all.
    case refused(SafelightError)
  }

  let byteCount: Int
  let way: Way
  /// A sentence for whoever reads the report; nil for most frames.
  var remark: String?
}

extension FrameJourney {
  /// Returns what the frame of `step` takes of `budget` bytes. A frame goes in bands if it is huge, or does not fit as a
  /// whole.
  func admission(of step: FrameStep, _ budget: Int) async -> FrameAdmission {
    if let picture = step.picture {
      let seen = (try? FramePicture(picture, name: step.label))?.filtered
      return seen.map { admission(of: step, $0, fileByteCount: 0, isInRows: false, budget) }
        ?? FrameAdmission(byteCount: 0, way: .whole)
    }
    return await pipeline.codec.run(for: step.frame.index) {
      // Reading the frame reports what is wrong with its file.
      guard let outline = PNGOutline(step.frame.path) else { return FrameAdmission(byteCount: 0, way: .whole) }
      return self.admission(
        of: step, outline.picture, fileByteCount: outline.fileByteCount, isInRows: outline.isInRows, budget)
    }
  }

  private func admission(
    of step: FrameStep, _ picture: ImageDescriptor, fileByteCount: Int, isInRows: Bool, _ budget: Int
  ) -> FrameAdmission {
    let (chain, options) = (pipeline.processor.chain, pipeline.options)
    // Submitting the frame reports that a filter is not defined for it.
    guard let plan = try? chain.plan(picture) else { return FrameAdmission(byteCount: 0, way: .whole) }
    let images = [picture] + plan
    let whole = fileByteCount + byteCount(ofWhole: images)
    let isHuge = picture.byteCount > options.pngCodec.largestWrittenWhole
    if whole <= budget, !isHuge { return FrameAdmission(byteCount: whole, way: .whole) }
    var filter: String?
    if isInRows, case .file = step.target, !observer.wantsWholePictures {
      switch try? chain.bands(of: images) {
      case .bands:
        let band = max(1, min(options.bandByteCount, budget / Self.bandsHeld))
        // A small result of a huge picture is collected and written at once.
        let result = images[images.count - 1].byteCount
        let collected = isHuge && result <= options.pngCodec.largestWrittenWhole ? 3 * result : 0
        return FrameAdmission(byteCount: Self.bandsHeld * band + collected, way: .bands(band))
      case .whole(let call): filter = call
      case nil: break
      }
    }
    let reason = filter.map { "filter '\($0)' needs all of it at once" } ?? "it is read and written as a whole"
    if whole <= budget {
      let remark = "it took about \(whole.inMegabytes) of memory, since \(reason)"
      return FrameAdmission(byteCount: whole, way: .whole, remark: filter == nil ? nil : remark)
    }
    return FrameAdmission(
      byteCount: 0,
      way: .refused(
        SafelightError(
          .resources, step.label,
          why: "it takes about \(whole.inMegabytes) of memory, since \(reason), and frames may take "
            + "\(budget.inMegabytes)",
          remedy: "allow more memory, or use a machine with more", setting: .memory)))
  }

  /// The bands that are held at a time: as they are read, on the device, as they are made, and as they are written.
  private static let bandsHeld = 10

  /// The bytes that a picture and what filters make of it take at most: the pictures as they are read and made, each
  /// with what its file's rows take, and the textures and temporaries of a device without memory of its own.
  private func byteCount(ofWhole images: [ImageDescriptor]) -> Int {
    let (source, result) = (images[0].byteCount, images[images.count - 1].byteCount)
    let info = pipeline.processor.device.info
    // Stages take turns with two textures.
    let stages = images.dropFirst().map(\.byteCount).sorted(by: >).prefix(2).reduce(0, +)
    var textures = 0
    if info.isCPU {
      textures = images.count > 2 ? stages / 2 : 0
    } else if info.isSoftware {
      let temporaries = (try? pipeline.processor.chain.temporaryByteCounts(for: images)) ?? []
      textures = source + stages + temporaries.reduce(0, +)
    }
    return 2 * (source + result) + textures
  }
}

extension ImageDescriptor {
  /// The bytes of its pixels in memory.
  var byteCount: Int { size.area * pixelFormat.bytesPerPixel }
}

extension Int {
  /// As text, such as `400 MB`.
  fileprivate var inMegabytes: String { "\((self + 999_999) / 1_000_000) MB" }
}
