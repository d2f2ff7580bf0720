/// The point kernels that there are.
package enum PointKernels {
  /// In the order in which they are listed.
  package static let all: [any PointKernel.Type] = [
    ImagePassthrough.self, ImageSaturation.self, ImageVibrance.self, ImagePremultiply.self, ImageUnpremultiply.self,
    ImageThreshold.self, ImageColorMatrix.self,
  ]
}
