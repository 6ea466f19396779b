import Foundation

/// An image as its server sent it, with its cache metadata.
public struct CachedImage: Hashable, Sendable {
  /// The address as the feed prints it. This exact text is the cache key.
  public let url: String
  /// The file as the server sent it, at most 5 MiB.
  public let bytes: [UInt8]
  /// The format and size, read from the bytes.
  public let header: ImageHeader
  /// The validators that the server sent (RFC 9110, section 8.8), used for conditional requests.
  public let etag: String?
  /// The `Last-Modified` of the response, for conditional requests; nil without one.
  public let lastModified: String?
  /// When the server last sent or confirmed this version.
  public let fetchedAt: Date
  /// Until when the image is used without asking the server again.
  public let freshUntil: Date

  /// Creates a cached image of its parts; the properties describe them.
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
  /// The address as the feed prints it, which is the key of the cache.
  public let url: String
  /// The format and the size in pixels.
  public let header: ImageHeader
  /// The size of the file in bytes.
  public let sizeBytes: Int
  /// When the image was last fetched or confirmed by its server.
  public let fetchedAt: Date
  /// Until when the image is used without asking its server.
  public let freshUntil: Date
  /// Whether the image belongs to a favorite.
  public let isFavorite: Bool

  /// Creates a cached image summary of its parts; the properties describe them.
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

  /// Creates an image cache contents of its parts; the properties describe them.
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
  /// The address as the feed prints it.
  public let url: String
  /// The kind of failure.
  public let code: OffersError.Code
  /// The reason for the failure, in one sentence for people.
  public let reason: String
  /// Until when the image is not requested again.
  public let until: Date

  /// Creates an image failure of its parts; the properties describe them.
  public init(url: String, code: OffersError.Code, reason: String, until: Date) {
    self.url = url
    self.code = code
    self.reason = reason
    self.until = until
  }
}
