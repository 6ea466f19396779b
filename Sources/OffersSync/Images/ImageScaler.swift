import OffersCore

/// Makes the copies of images for lists.
package protocol ImageScaler: Sendable {
  /// A copy of an image that is at most `ImageCacheLimits.thumbnailWidth` pixels wide, as a whole image file:
  /// the first image of an animation.
  ///
  /// - Returns: nil if this system cannot decode images of the format.
  /// - Throws: `OffersError` with `malformedImage` if this image cannot be copied.
  func copy(of image: CachedImage) async throws -> [UInt8]?
}
