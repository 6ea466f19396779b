import Foundation

/// An image as its server sent it, with its cache metadata.
public struct CachedImage: Hashable, Sendable {
  /// The address as the feed prints it. This exact text is the cache key.
  public let url: String
  public let bytes: [UInt8]
  /// The format and size, read from the bytes.
  public let header: ImageHeader
  /// The validators that the server sent (RFC 9110, section 8.8), used for conditional requests.
  public let etag: String?
  public let lastModified: String?
  /// When the server last sent or confirmed this version.
  public let fetchedAt: Date
  /// Until when the image is used without asking the server again.
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

/// A cached image without its bytes.
public struct CachedImageSummary: Hashable, Sendable {
  public let url: String
  public let header: ImageHeader
  public let sizeBytes: Int
  public let fetchedAt: Date
  public let freshUntil: Date
  /// Whether the image belongs to a favorite.
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

/// The images in the cache, with its statistics.
public struct ImageCacheContents: Hashable, Sendable {
  /// The most images in the cache.
  public let limit: Int
  /// The images, most recently used first.
  public let images: [CachedImageSummary]
  /// How many lookups found an image.
  public let hits: Int
  /// How many lookups found none.
  public let misses: Int
  /// How many images were evicted, to make room for others or by a lower limit.
  public let evictions: Int
  /// The recent failures to fetch an image.
  public let failures: [ImageFailure]

  public init(
    limit: Int, images: [CachedImageSummary], hits: Int, misses: Int, evictions: Int,
    failures: [ImageFailure]
  ) {
    self.limit = limit
    self.images = images
    self.hits = hits
    self.misses = misses
    self.evictions = evictions
    self.failures = failures
  }
}

/// A failure to fetch an image, remembered so that the request is not repeated at once.
public struct ImageFailure: Hashable, Sendable {
  public let url: String
  public let code: OffersError.Code
  /// The reason for the failure, in one sentence for people.
  public let reason: String
  /// Until when the image is not requested again.
  public let until: Date

  public init(url: String, code: OffersError.Code, reason: String, until: Date) {
    self.url = url
    self.code = code
    self.reason = reason
    self.until = until
  }
}
