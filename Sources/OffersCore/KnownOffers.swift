/// What the database holds of one feed, reduced to what a sync compares: for each offer the hash
/// of its id, the hash of its content, its key, and whether it is gone. 25 bytes an offer at three
/// quarters full, so a million offers take 34 MB.
public struct KnownOffers: Sendable {
  /// Where an offer stands in the table; valid until the table goes away.
  public typealias Slot = Int

  private var idHashes: [UInt64]
  private var contentHashes: [UInt64]
  private var keys: [Int64]
  private var flags: [UInt8]
  private let idSeed: UInt64
  /// Offers in the table, gone ones included.
  public private(set) var count = 0
  /// Offers the feed had when it was last synced.
  public private(set) var currentCount = 0
  /// Of those, the ones seen since the table was made.
  public private(set) var seenCurrentCount = 0

  private static let seen: UInt8 = 1
  private static let gone: UInt8 = 2

  /// - Parameter capacity: how many offers will be inserted, at most.
  public init(capacity: Int) {
    let slots = max(16, capacity + capacity / 3 + 1)
    idHashes = [UInt64](repeating: 0, count: slots)
    contentHashes = [UInt64](repeating: 0, count: slots)
    keys = [Int64](repeating: 0, count: slots)
    flags = [UInt8](repeating: 0, count: slots)
    idSeed = UInt64.random(in: .min ... .max)
  }

  /// Adds an offer. `key` is the store's own number for it, above 0.
  public mutating func insert(
    id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64, isGone: Bool
  ) {
    precondition(count < idHashes.count - 1, "more offers than the stated capacity")
    let hash = hash(ofID: id)
    var slot = firstSlot(hash)
    while keys[slot] != 0 { slot = next(slot) }
    idHashes[slot] = hash
    contentHashes[slot] = contentHash
    keys[slot] = key
    flags[slot] = isGone ? Self.gone : 0
    count += 1
    if !isGone { currentCount += 1 }
  }

  /// The offer with this id, or nil.
  public func find(id: UnsafeRawBufferPointer) -> Slot? {
    if count == 0 { return nil }
    let hash = hash(ofID: id)
    var slot = firstSlot(hash)
    while keys[slot] != 0 {
      if idHashes[slot] == hash { return slot }
      slot = next(slot)
    }
    return nil
  }

  public func key(at slot: Slot) -> Int64 { keys[slot] }
  public func contentHash(at slot: Slot) -> UInt64 { contentHashes[slot] }
  public func isGone(at slot: Slot) -> Bool { flags[slot] & Self.gone != 0 }

  /// Marks an offer as seen in this sync. Returns false when it was already.
  public mutating func markSeen(_ slot: Slot) -> Bool {
    if flags[slot] & Self.seen != 0 { return false }
    flags[slot] |= Self.seen
    if flags[slot] & Self.gone == 0 { seenCurrentCount += 1 }
    return true
  }

  /// The keys of the offers that the feed had and this sync has not seen, ascending.
  public func vanishedKeys() -> [Int64] {
    var vanished: [Int64] = []
    vanished.reserveCapacity(currentCount - seenCurrentCount)
    for slot in keys.indices where keys[slot] != 0 && flags[slot] == 0 {
      vanished.append(keys[slot])
    }
    vanished.sort()
    return vanished
  }

  private func hash(ofID id: UnsafeRawBufferPointer) -> UInt64 {
    var hash = ContentHash(seed: idSeed)
    hash.combine(id)
    return hash.value
  }

  private func firstSlot(_ hash: UInt64) -> Slot {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(keys.count)).high)
  }

  private func next(_ slot: Slot) -> Slot {
    slot + 1 == keys.count ? 0 : slot + 1
  }
}
