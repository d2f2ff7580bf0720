internal import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// A call of ``ImageBilinearScale`` or ``ImageLanczosScale``.
struct ScaleCall: PassCall {
  enum Filter: String {
    case bilinear, lanczos
  }

  let filter: Filter
  let transform: ScaleTransform?
  let destination: Size
  /// The pixels that are written, inside the destination.
  let area: Region

  init(_ filter: Filter, _ transform: ScaleTransform?, _ clipRect: Region?, _ destination: Texture) {
    if let transform {
      trap(
        unless: transform.isSound,
        "\(filter.rawValue) scale was given \(transform); its scales must be above 0, and all its numbers finite")
    }
    let (size, clip) = (destination.size, clipRect ?? .noClip)
    trap(
      unless: clip.size.width >= 0 && clip.size.height >= 0,
      "\(filter.rawValue) scale was given a clipRect of \(clip.size); neither number may be negative")
    self.init(filter, transform, size, clip.intersection(Region(size: size)))
  }

  private init(_ filter: Filter, _ transform: ScaleTransform?, _ destination: Size, _ area: Region) {
    (self.filter, self.transform, self.destination, self.area) = (filter, transform, destination, area)
  }

  private var name: String { "\(filter.rawValue) scale" }

  func encode(
    _ source: Texture, to destination: Texture, _ buffer: CommandBuffer, _ pipeline: PipelineKind, _ last: LastScale
  ) throws(SafelightError) {
    ImageRenderer.checkTextures(source, destination, name)
    let (format, formats) = (source.pixelFormat, ImageRenderer.formats)
    try ensure(
      formats.contains(format) && destination.pixelFormat == format, .unsupported, name,
      why: "'\(source.label)' of \(format.rawValue) cannot be scaled to '\(destination.label)' of "
        + destination.pixelFormat.rawValue,
      remedy: "use textures of one format of \(formats.map(\.rawValue).joined(separator: ", "))")
    if area.size.isEmpty { return }
    let scale = try last.scale(self, of: PassPicture(format.descriptor(source.size), format))
    PassRecorder(plan: scale.plan, pipeline: pipeline, call: text, buffer: buffer, constants: scale.tables).encode(
      [.result(0)], [.picture: .picture(TiledTexture(source)), .result(0): .picture(TiledTexture(destination))])
  }

  /// Returns the checked passes, which make at least a pixel.
  fileprivate func checkedPlan(for picture: PassPicture) throws(SafelightError) -> PassPlan {
    let scaling = "\(name) of \(picture.size) to \(destination)"
    for size in [picture.size, destination] {
      try ensure(
        max(size.width, size.height) <= 1 << 16 && size.area <= 1 << 29, .limit, scaling,
        why: "a picture has at most 65536 columns and rows and \(1 << 29) pixels", remedy: "scale parts of it")
    }
    var passes = try passes(for: picture, scaling)
    if area != Region(size: destination) { passes[passes.count - 1].area = area }
    let made = PassPicture(picture.pixelFormat.descriptor(destination), picture.pixelFormat)
    return PassPlan(unlimited: passes, of: name, from: picture, to: [made])
  }

  /// Returns the passes for all of the destination, at least one.
  private func passes(for picture: PassPicture, _ scaling: String) throws(SafelightError) -> [Pass] {
    var map: WarpMap?
    if let transform {
      map = WarpMap(affine: transform.positions, to: destination)
      guard map != nil else {
        throw .farAway(scaling, "take a transform that moves the picture less far, or makes it less small")
      }
    }
    func rendering(_ placement: Placement) -> [Pass] {
      [.rendering(.picture, of: picture.size, picture.pixelFormat, placement)]
    }
    switch filter {
    case .bilinear:
      if let map {
        let warp = Warp(map: map, interpolation: .bilinear, edge: .clamp)
        return [.warping(picture, by: warp, color: .zero)]
      }
      guard let scale = PictureScale(from: picture.size, to: destination) else {
        throw SafelightError(
          .limit, scaling, why: "the ratio of the two sizes is beyond 32-bit arithmetic",
          remedy: "choose a size in a simpler ratio to the picture's, such as a half")
      }
      return rendering(Placement(scale: scale, filter: .linear))
    case .lanczos:
      var steps = PassSteps(picture)
      let parts = transform?.parts(of: destination)
      for (axis, side, part) in [
        (picture.size.width, destination.width, parts?.columns), (picture.size.height, destination.height, parts?.rows),
      ] {
        let table = ResamplingTable(
          resampling: Resampling(
            rule: .lanczos, axis: .row, from: axis, to: side, isDeep: false, made: 0..<side, part: part))
        try ensure(
          table.resampling.taps < 2000 && table.count <= ResamplingTable.most, .limit, scaling,
          why: "it would join 2000 or more columns or rows into one, or need too many weights",
          remedy: "scale in two steps")
      }
      steps.resample(
        by: .lanczos, to: destination, Region(size: destination), columns: parts?.columns, rows: parts?.rows)
      // Neither side changes.
      return steps.passes.isEmpty ? rendering(Placement()) : steps.passes
    }
  }
}

/// The last call of a kernel, whose passes and tables of weights serve the next one like it.
final class LastScale: Sendable {
  struct Scale: Sendable {
    fileprivate let call: ScaleCall
    fileprivate let picture: PassPicture
    fileprivate let plan: PassPlan
    fileprivate let tables = Memo<TiledTexture>()
  }

  private let last = Mutex<Scale?>(nil)

  fileprivate func scale(_ call: ScaleCall, of picture: PassPicture) throws(SafelightError) -> Scale {
    try last.withLock { last throws(SafelightError) in
      if let last, last.call == call, last.picture == picture { return last }
      let made = Scale(call: call, picture: picture, plan: try call.checkedPlan(for: picture))
      last = made
      return made
    }
  }
}

extension ScaleTransform {
  fileprivate var isSound: Bool {
    [scaleX, scaleY, translateX, translateY].allSatisfy(\.isFinite) && scaleX > 0 && scaleY > 0
  }

  /// The matrix from the middles of the destination's pixels to positions in the source.
  fileprivate var positions: [Double] {
    [
      1 / scaleX, 0, (0.5 - translateX) / scaleX - 0.5,
      0, 1 / scaleY, (0.5 - translateY) / scaleY - 0.5,
    ]
  }

  /// The parts of the source that a destination of `size` shows.
  fileprivate func parts(of size: Size) -> (columns: Resampling.Part, rows: Resampling.Part) {
    (
      Resampling.Part(first: -translateX / scaleX, extent: Double(size.width) / scaleX),
      Resampling.Part(first: -translateY / scaleY, extent: Double(size.height) / scaleY)
    )
  }
}

// MARK: Captures

extension ScaleCall {
  var text: String {
    let numbers = [area.x, area.y, area.size.width, area.size.height, destination.width, destination.height]
    let bits = transform.map { [$0.scaleX, $0.scaleY, $0.translateX, $0.translateY].map(\.bitPattern) } ?? []
    return "scale \(filter.rawValue) " + numbers.map(\.description).joined(separator: " ")
      + bits.map { " " + String($0, radix: 16) }.joined()
  }

  init?(_ text: String) {
    let form = #/scale (\w+)((?: \d{1,6}){6})((?: [0-9a-f]{1,16}){4})?/#
    guard let parts = text.wholeMatch(of: form)?.output, let filter = Filter(rawValue: String(parts.1)) else {
      return nil
    }
    let numbers = parts.2.split(separator: " ").compactMap { Int($0) }
    let bits = (parts.3 ?? "").split(separator: " ").compactMap { UInt64($0, radix: 16) }.map(Double.init(bitPattern:))
    let area = Region(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    let size = Size(numbers[4], numbers[5])
    guard area.isInside(size) else { return nil }
    var transform: ScaleTransform?
    if bits.count == 4 {
      transform = ScaleTransform(scaleX: bits[0], scaleY: bits[1], translateX: bits[2], translateY: bits[3])
      guard transform?.isSound == true else { return nil }
    }
    self.init(filter, transform, size, area)
  }

  func plan(for picture: PassPicture) -> PassPlan? {
    guard ImageRenderer.formats.contains(picture.pixelFormat), !area.size.isEmpty else { return nil }
    return try? checkedPlan(for: picture)
  }
}
