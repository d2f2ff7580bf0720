/// What an encoder asks of the device: a plain value that any executor can replay, print or compare.
public enum Command: Sendable {
  /// Opens a named group.
  case pushDebugGroup(String)
  /// Closes the innermost group.
  case popDebugGroup
  /// Leaves a text for debuggers.
  case insertDebugSignpost(String)
  /// Raises an event's number when everything before it is done.
  case signalEvent(Event, value: UInt64)
  /// Holds the rest of the buffer, and its queue, back until an event's number is reached; fails after `seconds`.
  case waitForEvent(Event, value: UInt64, seconds: Double)
  /// Notes the time at this point.
  case sampleCounters(CounterSampleBuffer, index: Int)
  /// Runs a compute function.
  case dispatch(Dispatch)
  /// Draws into the targets of a pass.
  case draw(Draw)
  /// Fills the targets of a pass that draws nothing.
  case clear(RenderPassDescriptor)
  /// Resolves and lets go of targets at the end of their pass.
  case store(RenderPassDescriptor)
  /// Copies pixels into a texture.
  case upload(Upload)
  /// Copies pixels of a texture into a readback.
  case readTexture(TextureRead)
  /// Copies pixels from texture to texture.
  case copyTexture(TextureCopy)
  /// Copies pixels of a buffer into a texture.
  case copyBufferToTexture(BufferTextureCopy)
  /// Copies pixels of a texture into a buffer.
  case copyTextureToBuffer(BufferTextureCopy)
  /// Makes the smaller levels of a texture from the first.
  case generateMipmaps(Texture)
  /// Writes bytes into a buffer.
  case writeBuffer(Buffer, offset: Int, bytes: [UInt8])
  /// Sets bytes of a buffer to one value.
  case fillBuffer(Buffer, range: Range<Int>, value: UInt8)
  /// Copies bytes from buffer to buffer.
  case copyBuffer(BufferCopy)
  /// Copies bytes of a buffer into a readback.
  case readBuffer(Buffer, range: Range<Int>, into: Readback)
  /// Carries what the device wrote into a managed buffer over to the process, on completion.
  case synchronize(Buffer)
}
