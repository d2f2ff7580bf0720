public import SafelightGPU
public import SafelightImage

/// A kernel that replaces every sample by a table's entry for its value. The CPU works the table out once, for both
/// backends.
///
/// ``ImageLookup`` is the function of all.
public protocol TableKernel: ImageKernel {
  /// Returns the tables for pictures of a depth.
  func tables(_ depth: SampleDepth) -> ChannelTables

  /// True if the tables of red, green and blue differ, so that gray would become a color and gray pictures are refused.
  var makesColors: Bool { get }
}

extension TableKernel {
  /// False by default.
  public var makesColors: Bool { false }

  /// Refuses gray if the channels' tables differ.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    _ = try image.refusingGray(Self.card.name, if: makesColors)
  }

  /// A look-up, whose tables are made at the first picture of a depth.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    KernelStage.lookUp(in: tables, on: device, form: form, output: output)
  }

  /// Records the kernel. Both textures need the same size and format, one of 8 or 16 bits a sample. Makes the tables
  /// each time; ``ImageLookup`` keeps them.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.card.check(self)
    ImageLookup(device: buffer.device, make: tables)
      .encode(to: buffer, source: source, destination: destination, form: form)
  }

  /// The cards' paragraph on how functions of 0 to 1 are quantized.
  static var quantized: String {
    """
    The function is worked out once for each of the 256 or 65536 values v, with x = v / maximum, and rounded,
    out = floor(y * maximum + 1/2): pixels are looked up. Alpha stays. A setting of one channel refuses gray pictures.
    """
  }
}

extension KernelStage {
  /// Makes a stage that looks samples up in tables, which are made at the first picture of a depth.
  package static func lookUp(
    in tables: @escaping @Sendable (SampleDepth) -> ChannelTables, on device: Device, form: KernelForm,
    output: @escaping Output
  ) -> Self {
    let lookup = ImageLookup(device: device, make: tables)
    return .tiles(output: output) { lookup.encode(to: $0, source: $1, destination: $2, form: form) }
  }
}

extension ImageDescriptor {
  /// Returns the descriptor; throws for gray if the kernel `name` would make a color of it.
  package func refusingGray(_ name: String, if makesColors: Bool) throws(SafelightError) -> ImageDescriptor {
    guard makesColors && channels.isGray else { return self }
    throw SafelightError(
      .unsupported, "filter '\(name)'",
      why: "it treats red, green and blue differently, but the picture is gray",
      remedy: "give all channels the same setting, or use a picture in color")
  }
}

/// A kernel whose tables quantize a function, for all channels or for one.
public protocol ToneKernel: TableKernel {
  /// The channels that are changed.
  var channels: ToneChannels { get }

  /// Returns the output for `value`, both from 0 to 1.
  func output(_ value: Double) -> Double
}

extension ToneKernel {
  /// All by default.
  public var channels: ToneChannels { .all }

  /// The tables of ``output(_:)``.
  public func tables(_ depth: SampleDepth) -> ChannelTables {
    let table = SampleTable(quantizing: output, depth: depth)
    let other = channels == .all ? table : .identity(depth)
    return ChannelTables(
      red: channels == .red ? table : other, green: channels == .green ? table : other,
      blue: channels == .blue ? table : other)
  }

  /// True if the channels differ.
  public var makesColors: Bool { channels != .all }
}

/// The channels that a table changes.
public enum ToneChannels: String, Sendable, CaseIterable {
  /// Red, green and blue alike, or gray.
  case all
  /// Red alone.
  case red
  /// Green alone.
  case green
  /// Blue alone.
  case blue
}

extension ToneChannels: ParameterWord {
  /// The values by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.all, "all", "red, green and blue alike"), (.red, "red", "red alone, in pictures that have it"),
    (.green, "green", "green alone"), (.blue, "blue", "blue alone"),
  ]
}

extension ParameterBinding {
  /// The parameter `channels` of several kernels.
  static func toneChannels(_ property: any WritableKeyPath<Kernel, ToneChannels> & Sendable) -> Self {
    .choice("channels", "what is changed", property)
  }
}
