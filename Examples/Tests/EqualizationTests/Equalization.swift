import Safelight

/// What is tested: a picture equalized on `device`.
func equalized(_ picture: Image, on device: Device) async throws -> Image {
  let chain = try FilterChain(parsing: "equalize", device: device)
  return try await FrameProcessor(device: device, chain: chain).process(picture)
}
