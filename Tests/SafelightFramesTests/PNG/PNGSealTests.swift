import SafelightFrames
import SafelightImage
import Testing

@Suite("The seal of a run")
struct PNGSealTests {
  private let seal = PNGSeal(recipe: [UInt8](1...32), inputs: [UInt8](101...132), origin: "Bild ä.png")

  private var picture: PNGFile {
    PNGFile(image: Image(size: Size(2, 1), channels: .gray, depth: .bits8, bytes: [1, 200]))
  }

  private func sealed() throws -> [UInt8] {
    var file = picture
    file.metadata.chunks.append(seal.chunk)
    return try PNGEncoder.encode(file)
  }

  @Test("is read back from a whole file, and missing where there is none")
  func roundTrip() throws {
    #expect(try PNGSeal.read(sealed(), name: "a.png") == seal)
    #expect(try PNGSeal.read(PNGEncoder.encode(picture), name: "a.png") == nil)
    let other = HandmadePNG(width: 1, height: 1, colorType: 0, bitDepth: 8, chunks: [("saFE", [1, 2, 3])])
    #expect(try PNGSeal.read(other.bytes, name: "a.png") == nil)
  }

  @Test("tells from the beginning of a file what that was made of")
  func origin() throws {
    let folder = try TemporaryFolder()
    func origin(_ bytes: [UInt8]) throws -> String? {
      try PNGSeal.atBeginning(ofFileAt: folder.write("a.png", bytes))?.origin
    }
    #expect(try origin(sealed()) == "Bild ä.png")
    #expect(try origin(PNGEncoder.encode(picture)) == nil)
    // Cut anywhere, it tells the name or nothing.
    let bytes = try sealed()
    for count in bytes.indices {
      let found = try origin(Array(bytes[..<count]))
      #expect(found == nil || found == "Bild ä.png", "\(count) bytes")
    }
    #expect(PNGSeal.atBeginning(ofFileAt: folder("none.png")) == nil)
    let renamed = PNGSeal(recipe: seal.recipe, inputs: seal.inputs, origin: "b.png")
    #expect(renamed != seal && renamed.agrees(with: seal))
  }

  @Test("is ancillary, private and not safe to copy: a picture that is read and written loses it")
  func unsafeToCopy() throws {
    #expect(!seal.chunk.type.isCritical && !seal.chunk.type.isSafeToCopy)
    #expect(seal.chunk.type.description == "saFE")
    let read = try PNGDecoder.decode(sealed(), name: "a.png")
    #expect(read == picture || read.metadata.chunks.isEmpty && read.metadata.trailingChunks.isEmpty)
    #expect(read.warnings == [])
    #expect(try PNGSeal.read(PNGEncoder.encode(read), name: "a.png") == nil)
  }

  @Test("any byte that changes, is missing or follows the end is damage")
  func damage() throws {
    let folder = try TemporaryFolder()
    let bytes = try sealed()
    #expect(try PNGSeal.read(fileAt: folder.write("a.png", bytes)) == seal)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x40
      #expect(throws: SafelightError.self, "byte \(place)") { _ = try PNGSeal.read(damaged, name: "a.png") }
      let path = try folder.write("a.png", damaged)
      #expect(throws: SafelightError.self, "byte \(place)") { _ = try PNGSeal.read(fileAt: path) }
      #expect(throws: SafelightError.self, "\(place) bytes") {
        _ = try PNGSeal.read(Array(bytes[..<place]), name: "a.png")
      }
    }
    expectError(.input, mentioning: "a.png", "behind its end") { _ = try PNGSeal.read(bytes + [0], name: "a.png") }
  }
}
