/// The limits a fetch keeps to.
public struct FetchLimits: Hashable, Sendable {
  /// Most bytes of a document, packed and unpacked. 1 GiB unless set.
  public var bodyBytes: Int
  /// Longest wait for a connection, for the head of an answer, and for the next bytes, in seconds.
  public var idleSeconds: Int64
  /// Longest time for the whole document, in seconds.
  public var totalSeconds: Double
  /// Most redirects followed.
  public var redirects: Int

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
