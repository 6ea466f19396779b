import OffersCore

/// Known offers whose keys follow one another, as they are stored: a checksum, then for each key the
/// hash of the offer's id, its lowest bit 1 for a gone one, and that of its content, each 8 bytes with
/// the lowest first; both are 0 where there is no offer.
struct KnownOffersPiece {
  let firstKey: Int64
  private let idSeed: UInt64
  private var words: [UInt64] = [0]

  /// How many keys it may tell of.
  static let capacity = 8192

  /// - Parameter idSeed: that of the ids' hashes.
  init(firstKey: Int64, idSeed: UInt64) {
    self.firstKey = firstKey
    self.idSeed = idSeed
    words.reserveCapacity(1 + 2 * Self.capacity)
  }

  /// The key behind its last one.
  private var endKey: Int64 { firstKey + Int64(words.count / 2) }

  /// Adds an offer behind those before; false when there is no room.
  mutating func append(_ offer: KnownOffer) -> Bool {
    let place = offer.key - firstKey
    if offer.key < endKey || place >= Self.capacity { return false }
    while endKey < offer.key { words.append(contentsOf: [0, 0]) }
    words.append((offer.idHash | (offer.isGone ? 1 : 0)).littleEndian)
    words.append(offer.contentHash.littleEndian)
    return true
  }

  /// Lends it as it is stored.
  mutating func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    words[0] = words.withUnsafeBytes { Self.checksum($0, firstKey, idSeed) }.littleEndian
    return try words.withUnsafeBytes(body)
  }

  /// Goes through stored ones in the order of their keys.
  ///
  /// - Returns: whether they are what was written there.
  static func forEach(
    in bytes: UnsafeRawBufferPointer, firstKey: Int64, idSeed: UInt64, _ body: (KnownOffer) -> Void
  ) -> Bool {
    let count = bytes.count / 16
    guard bytes.count % 16 == 8, count <= capacity,
      word(bytes, 0) == checksum(bytes, firstKey, idSeed)
    else { return false }
    for number in 0..<count {
      let idHash = word(bytes, 8 + 16 * number)
      let contentHash = word(bytes, 16 + 16 * number)
      if idHash | contentHash == 0 { continue }
      body(
        KnownOffer(
          idHash: idHash & ~1, contentHash: contentHash, key: firstKey + Int64(number),
          isGone: idHash & 1 != 0))
    }
    return true
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// That of all behind the place where it stands itself.
  private static func checksum(
    _ bytes: UnsafeRawBufferPointer, _ firstKey: Int64, _ idSeed: UInt64
  ) -> UInt64 {
    var hash = ContentHash(seed: idSeed)
    hash.combine(UInt64(bitPattern: firstKey))
    hash.combine(UnsafeRawBufferPointer(rebasing: bytes[8...]))
    return hash.value
  }
}
