/// The limits of fetching one document, such as a page of a feed or an image.
public struct FetchLimits: Hashable, Sendable {
  /// The most bytes of a document, as it is sent and, if it is compressed, also decompressed. The
  /// default is 1 GiB.
  public var bodyBytes: Int
  /// The longest single wait, in seconds: for a connection, for the head of a response, or for the
  /// next bytes of its body.
  public var idleSeconds: Int64
  /// The longest time for the whole document including redirects, in seconds. The time is checked
  /// before each request and when bytes arrive.
  public var totalSeconds: Double
  /// The most redirects to follow.
  public var redirects: Int

  /// Creates limits. The defaults suit feeds of up to a million offers.
  public init(
    bodyBytes: Int = 1 << 30, idleSeconds: Int64 = 30, totalSeconds: Double = 600,
    redirects: Int = 5
  ) {
    self.bodyBytes = bodyBytes
    self.idleSeconds = idleSeconds
    self.totalSeconds = totalSeconds
    self.redirects = redirects
  }
}
