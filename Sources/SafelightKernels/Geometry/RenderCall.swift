internal import SafelightGPU
internal import SafelightImage

/// A call of ``ImageRenderer``.
struct RenderCall: PassCall {
  let orientation: Orientation
  let filter: ImageRenderer.Filter
  let blend: ImageRenderer.Blend
  let bounds: Region
  /// The size and the format of the destination.
  let destination: Size
  let pixelFormat: PixelFormat

  /// Returns the passes for a picture; nil if its bounds lie outside the destination. `label` names the call in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` for a scale beyond 32-bit arithmetic.
  func plan(for picture: PassPicture, _ label: String) throws(SafelightError) -> PassPlan? {
    trap(
      unless: bounds.size.width >= 0 && bounds.size.height >= 0,
      "\(label) was given bounds of \(bounds.size); neither number may be negative")
    let upright = orientation.uprightSize(of: picture.size)
    func beyond() -> SafelightError {
      SafelightError(
        .limit, label, why: "a picture of \(upright) in bounds of \(bounds) is beyond 32-bit arithmetic",
        remedy: "render parts of it, or to smaller bounds")
    }
    // Farther outside, sums could overflow.
    let (sides, places) = (0...1 << 22, -(1 << 30)...1 << 30)
    guard sides.contains(bounds.size.width), sides.contains(bounds.size.height), places.contains(bounds.x),
      places.contains(bounds.y)
    else { throw beyond() }
    let area = bounds.intersection(Region(size: destination))
    if area.size.isEmpty { return nil }
    guard let scale = PictureScale(from: upright, to: bounds.size) else { throw beyond() }
    let pass = Pass.rendering(
      .picture, of: picture.size, picture.pixelFormat,
      Placement(orientation: orientation, scale: scale, filter: filter, x: bounds.x, y: bounds.y),
      over: blend == .sourceOver ? .further(0) : nil, area: area)
    return PassPlan(
      unlimited: [pass], of: label, from: picture,
      given: [.further(0): PassPlan.Shape(size: destination, pixelFormat: pixelFormat)],
      to: [PassPicture(pixelFormat.descriptor(destination), pixelFormat)])
  }
}

// MARK: Captures

extension RenderCall {
  var text: String {
    let (place, size) = (bounds, bounds.size)
    return "render \(orientation.rawValue) \(filter.rawValue) \(blend.rawValue) \(place.x) \(place.y) \(size.width) "
      + "\(size.height) to \(pixelFormat.rawValue) \(destination.width) \(destination.height)"
  }

  init?(_ text: String) {
    let form = #/render (\d) (\w+) (\w+) (-?\d{1,10}) (-?\d{1,10}) (\d{1,7}) (\d{1,7}) to (\w+) (\d{1,6}) (\d{1,6})/#
    guard let parts = text.wholeMatch(of: form)?.output, let turn = Int(parts.1),
      let orientation = Orientation(rawValue: turn), let filter = ImageRenderer.Filter(rawValue: String(parts.2)),
      let blend = ImageRenderer.Blend(rawValue: String(parts.3)), let x = Int(parts.4), let y = Int(parts.5),
      let width = Int(parts.6), let height = Int(parts.7), let format = PixelFormat(rawValue: String(parts.8)),
      let columns = Int(parts.9), let rows = Int(parts.10)
    else { return nil }
    self.init(
      orientation: orientation, filter: filter, blend: blend, bounds: Region(x: x, y: y, width: width, height: height),
      destination: Size(columns, rows), pixelFormat: format)
  }

  func plan(for picture: PassPicture) -> PassPlan? {
    guard ImageRenderer.takes(picture.pixelFormat, for: pixelFormat) else { return nil }
    return (try? plan(for: picture, "render")) ?? nil
  }
}
