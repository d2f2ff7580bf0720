internal import SafelightFrames
public import SafelightImage
internal import SafelightKernels
internal import SafelightMachine

/// The memory that the frames on their way may take together.
public enum MemoryBudget: Hashable, Sendable {
  /// Two thirds of what the machine has, or of what the process's control groups grant, as it is within a second before
  /// a frame is begun. The rest is for the program itself, its drivers and other programs.
  case automatic
  /// So many bytes.
  case bytes(Int)

  /// The bytes; nil if no limit is known.
  package var byteCount: Int? {
    switch self {
    case .automatic: MemorySize.ofThisProcess.value.map { $0 / 3 * 2 }
    case .bytes(let count): count
    }
  }
}

/// The memory that a frame is counted with, and its way through the filters.
struct FrameAdmission: Sendable {
  enum Way: Sendable {
    case whole
    /// In bands, through the processor of pictures that are turned so.
    case bands(BandPlan, Orientation)
    /// Not at all.
    case refused(SafelightError)
  }

  /// The bytes that it takes.
  let byteCount: Int
  let way: Way
  /// A sentence for whoever reads the report; nil for most frames.
  var remark: String?
}

extension FrameJourney {
  /// Returns what the frame of `step` takes of `budget` bytes. A frame goes in bands if it is huge, or does not fit as
  /// a whole.
  func admission(of step: FrameStep, _ budget: Int) async -> FrameAdmission {
    let options = pipeline.options
    // A frame that cannot be read takes no memory; reading the frame reports why.
    let none = FrameAdmission(byteCount: 0, way: .whole)
    if let picture = step.picture {
      guard let seen = try? FramePicture(picture, name: step.label) else { return none }
      let turn = options.turnsUpright ? picture.orientation : .up
      return admission(of: step, seen.filtered, turn, fileByteCount: 0, whole: "it is a frame of a film", budget)
    }
    // Before the work of all frames: nothing is begun until this is known.
    return await pipeline.codec.run(for: .min) {
      guard let outline = PNGOutline(step.frame.path, limits: options.limits, findsExif: options.turnsUpright) else {
        return none
      }
      let turn = options.turnsUpright ? outline.orientation : .up
      var picture = outline.picture
      if let kind = options.kind { picture = picture.promoted(to: kind.union(PictureKind(picture))) }
      var whole: String?
      if case .file = step.target {
        if self.observer.wantsWholePictures { whole = "a picture of the run shows it" }
      } else {
        whole = "it does not go to a file"
      }
      if !outline.isInRows { whole = "its file cannot be read row by row" }
      return self.admission(of: step, picture, turn, fileByteCount: outline.fileByteCount, whole: whole, budget)
    }
  }

  /// Returns what a frame takes whose picture is like `picture`, stored as `turn` says. `whole` is a clause that says
  /// why it cannot go in bands, if it cannot.
  private func admission(
    of step: FrameStep, _ picture: ImageDescriptor, _ turn: Orientation, fileByteCount: Int, whole: String?,
    _ budget: Int
  ) -> FrameAdmission {
    let options = pipeline.options
    guard let chain = try? pipeline.processor.turning(turn).chain, let plan = try? chain.plan(picture),
      let counts = try? chain.byteCounts(for: [picture] + plan)
    else {
      // Submitting the frame reports that a filter is not defined for it.
      return FrameAdmission(byteCount: fileByteCount + 2 * picture.byteCount, way: .whole)
    }
    let images = [picture] + plan
    let byteCount = fileByteCount + byteCount(ofWhole: images, counts)
    let isHuge = picture.byteCount > options.pngCodec.largestWrittenWhole
    if byteCount <= budget, !isHuge { return FrameAdmission(byteCount: byteCount, way: .whole) }
    var (reason, remark) = (whole.map { ", since \($0)" } ?? "", nil as String?)
    if whole == nil {
      switch try? chain.bands(of: images) {
      case .bands(let stages):
        let bands = bandPlan(images, stages, counts, budget)
        if bands.byteCount <= budget {
          let remark = isHuge ? nil : "it is made and compressed in bands of rows, for lack of memory"
          return FrameAdmission(byteCount: bands.byteCount, way: .bands(bands, turn), remark: remark)
        }
        reason = ", and \(bands.byteCount.asMemory) in bands of rows"
      case .whole(let clause, _):
        reason = ", since \(clause)"
        remark = "it takes about \(byteCount.asMemory) of memory, since \(clause)"
      case nil: break
      }
    }
    if byteCount <= budget { return FrameAdmission(byteCount: byteCount, way: .whole, remark: remark) }
    return FrameAdmission(
      byteCount: 0,
      way: .refused(
        SafelightError(
          .resources, step.label,
          why: "it takes about \(byteCount.asMemory) of memory\(reason), but frames may take \(budget.asMemory)",
          remedy: "allow more memory, or use a machine with more", setting: .memory)))
  }

  private func bandPlan(
    _ images: [ImageDescriptor], _ stages: [any StageBands], _ counts: [StageByteCounts], _ budget: Int
  ) -> BandPlan {
    let codec = pipeline.options.pngCodec
    let temporaries = zip(counts, images).map { $0.temporaries / $1.size.height }
    var others = counts.reduce(0) { $0 + $1.fixed }
    if BandPlan.collectsResult(images, codec) { others += 3 * images[images.count - 1].byteCount }
    // Bands of an eighth of the budget, or less if these do not fit.
    var bandByteCount = max(1, min(pipeline.options.bandByteCount, budget / 8))
    while true {
      let plan = BandPlan(images, stages, temporaries, others: others, bandByteCount: bandByteCount)
      if plan.byteCount <= budget || bandByteCount < 1 << 16 { return plan }
      bandByteCount /= 4
    }
  }

  /// The bytes that a picture and what filters make of it take at most: the pictures as they are read and made, each
  /// with what its file's rows take, and the textures and temporaries of a device without memory of its own.
  private func byteCount(ofWhole images: [ImageDescriptor], _ counts: [StageByteCounts]) -> Int {
    let (source, result) = (images[0].byteCount, images[images.count - 1].byteCount)
    let processor = pipeline.processor
    // Stages take turns with two textures.
    let stages = images.dropFirst().map(\.byteCount).sorted(by: >).prefix(2).reduce(0, +)
    var textures = counts.reduce(0) { $0 + $1.fixed }
    if processor.device.info.isCPU {
      textures += images.count > 2 ? stages / 2 : 0
    } else if processor.device.info.isSoftware {
      textures += source + stages + counts.reduce(0) { $0 + $1.temporaries }
    } else if processor.mapsMemory {
      textures += source + result
    }
    return 2 * (source + result) + textures
  }
}

extension SafelightError.Setting {
  /// The memory that frames may take.
  public static let memory = Self("memory")
}

extension Int {
  /// So many bytes as text, such as `400 MB`.
  fileprivate var asMemory: String {
    self < 10_000_000 ? "\((self + 999) / 1000) kB" : "\((self + 999_999) / 1_000_000) MB"
  }
}
