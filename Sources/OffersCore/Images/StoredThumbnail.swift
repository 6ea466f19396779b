import Foundation

/// The copy of a cached image for lists, or the reason why there is none.
///
/// It is stored with its image, and goes with it: when the image is evicted, and when the server sends
/// another one.
package struct StoredThumbnail: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// The bytes of the copy, a whole image file.
    case copy([UInt8])
    /// Why the image has no copy, in a sentence for people.
    case problem(String)
  }

  package let content: Content
  /// The size of the file of the image itself, in bytes.
  package let imageBytes: Int
  /// When the server last sent or confirmed the image.
  package let fetchedAt: Date
  /// Until when the image is used without asking the server again.
  package let freshUntil: Date

  package init(content: Content, imageBytes: Int, fetchedAt: Date, freshUntil: Date) {
    self.content = content
    self.imageBytes = imageBytes
    self.fetchedAt = fetchedAt
    self.freshUntil = freshUntil
  }
}

extension StoredThumbnail.Content {
  /// Refuses a copy that is larger than any in a store.
  ///
  /// - Throws: `OffersError` with `limitExceeded`; `invalidRequest` for a copy or reason without bytes.
  package func check() throws {
    switch self {
    case .copy(let bytes):
      guard !bytes.isEmpty else { throw OffersError(.invalidRequest, "A picture needs bytes.") }
      guard bytes.count <= ImageCacheLimits.thumbnailBytes else {
        throw OffersError(.limitExceeded, "The copy of a picture for lists is too large.")
      }
    case .problem(let text):
      guard !text.isEmpty else { throw OffersError(.invalidRequest, "A reason needs a text.") }
    }
  }
}
