/// What a sync has to know of an offer that the store holds.
public struct KnownOffer: Hashable, Sendable {
  /// The hash of its id; its lowest bit is 0.
  public let idHash: UInt64
  public let contentHash: UInt64
  /// The store's own number for it, above 0.
  public let key: Int64
  public let isGone: Bool

  public init(idHash: UInt64, contentHash: UInt64, key: Int64, isGone: Bool) {
    self.idHash = idHash
    self.contentHash = contentHash
    self.key = key
    self.isGone = isGone
  }

  /// Hashes an id.
  public static func idHash(of id: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var hash = ContentHash(seed: seed)
    hash.combine(id)
    return hash.value & ~1
  }
}
