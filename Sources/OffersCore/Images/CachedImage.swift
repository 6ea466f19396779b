import Foundation

/// A picture as it came from its server, with what is known of it.
public struct CachedImage: Hashable, Sendable {
  /// Where the feed says that it is. It is found by this very text.
  public let url: String
  public let bytes: [UInt8]
  /// What the bytes are, by themselves.
  public let header: ImageHeader
  /// What its server named this version by (RFC 9110, 8.8), to ask for something newer.
  public let etag: String?
  public let lastModified: String?
  /// When its server last said that it is the current one.
  public let fetchedAt: Date
  /// Until when its server need not be asked again.
  public let freshUntil: Date

  public init(
    url: String, bytes: [UInt8], header: ImageHeader, etag: String? = nil,
    lastModified: String? = nil, fetchedAt: Date, freshUntil: Date
  ) {
    self.url = url
    self.bytes = bytes
    self.header = header
    self.etag = etag
    self.lastModified = lastModified
    self.fetchedAt = fetchedAt
    self.freshUntil = freshUntil
  }
}

/// A held picture without its bytes.
public struct CachedImageSummary: Hashable, Sendable {
  public let url: String
  public let header: ImageHeader
  public let sizeBytes: Int
  public let fetchedAt: Date
  public let freshUntil: Date
  /// Whether a favorite has this picture.
  public let isFavorite: Bool

  public init(
    url: String, header: ImageHeader, sizeBytes: Int, fetchedAt: Date, freshUntil: Date,
    isFavorite: Bool
  ) {
    self.url = url
    self.header = header
    self.sizeBytes = sizeBytes
    self.fetchedAt = fetchedAt
    self.freshUntil = freshUntil
    self.isFavorite = isFavorite
  }
}

/// What an image cache holds, and how it has done.
public struct ImageCacheContents: Hashable, Sendable {
  /// The last used first.
  public let images: [CachedImageSummary]
  /// How often an image was asked for and was there.
  public let hits: Int
  /// How often it was not there.
  public let misses: Int
  /// How often one had to go for another.
  public let evictions: Int
  /// What could not be had lately, and why.
  public let failures: [ImageFailure]

  public init(
    images: [CachedImageSummary], hits: Int, misses: Int, evictions: Int, failures: [ImageFailure]
  ) {
    self.images = images
    self.hits = hits
    self.misses = misses
    self.evictions = evictions
    self.failures = failures
  }
}

/// Why an image could not be had, remembered so that nobody asks for it again and again.
public struct ImageFailure: Hashable, Sendable {
  public let url: String
  public let code: OffersError.Code
  /// One sentence for people.
  public let reason: String
  /// Until when it is not asked for again.
  public let until: Date

  public init(url: String, code: OffersError.Code, reason: String, until: Date) {
    self.url = url
    self.code = code
    self.reason = reason
    self.until = until
  }
}
