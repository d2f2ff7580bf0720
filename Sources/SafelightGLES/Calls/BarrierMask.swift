internal import CGLES

/// How data that a shader wrote is read next (ES 3.1 §7.12.2); the bits of `glMemoryBarrier`.
package struct BarrierMask: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let uniform = BarrierMask(rawValue: UInt32(GL_UNIFORM_BARRIER_BIT))
  package static let textureFetch = BarrierMask(rawValue: UInt32(GL_TEXTURE_FETCH_BARRIER_BIT))
  package static let storageTexture = BarrierMask(rawValue: UInt32(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT))
  package static let storageBuffer = BarrierMask(rawValue: UInt32(GL_SHADER_STORAGE_BARRIER_BIT))
  package static let textureUpdate = BarrierMask(rawValue: UInt32(GL_TEXTURE_UPDATE_BARRIER_BIT))
  package static let bufferUpdate = BarrierMask(rawValue: UInt32(GL_BUFFER_UPDATE_BARRIER_BIT))
  package static let pixelBuffer = BarrierMask(rawValue: UInt32(GL_PIXEL_BUFFER_BARRIER_BIT))
  package static let command = BarrierMask(rawValue: UInt32(GL_COMMAND_BARRIER_BIT))
  package static let vertexAttributes = BarrierMask(rawValue: UInt32(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT))
  package static let elements = BarrierMask(rawValue: UInt32(GL_ELEMENT_ARRAY_BARRIER_BIT))
  package static let sharedMemory = BarrierMask(rawValue: UInt32(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT))
  package static let framebuffer = BarrierMask(rawValue: UInt32(GL_FRAMEBUFFER_BARRIER_BIT))

  /// Those that a context takes: a bit of an extension that is not there makes `glMemoryBarrier` an error, and no barrier
  /// (ES 3.1 §7.12.2).
  package static func known(mapsBuffers: Bool) -> BarrierMask { mapsBuffers ? all : all.subtracting(.sharedMemory) }

  package static let all: BarrierMask = [
    .uniform, .textureFetch, .storageTexture, .storageBuffer, .textureUpdate, .bufferUpdate, .framebuffer, .pixelBuffer,
    .command,
    .vertexAttributes, .elements, .sharedMemory,
  ]
}
