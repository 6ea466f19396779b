/// What the database holds of one feed, reduced to what a sync compares: for each offer the hash
/// of its id, the hash of its content, its key, and whether it is gone. 24 bytes an entry, half
/// full, so a million offers take 48 MB.
public struct KnownOffers: Sendable {
  /// Where an offer stands in the table; valid until the table goes away.
  public typealias Slot = Int

  private struct Entry {
    var idHash: UInt64 = 0
    var contentHash: UInt64 = 0
    /// The key shifted left by two, and the flags; 0 for a free slot.
    var keyAndFlags: Int64 = 0
  }

  private var entries: [Entry]
  private let idSeed: UInt64
  /// Offers in the table, gone ones included.
  public private(set) var count = 0
  /// Offers the feed had when it was last synced.
  public private(set) var currentCount = 0
  /// Of those, the ones seen since the table was made.
  public private(set) var seenCurrentCount = 0

  private static let seen: Int64 = 1
  private static let gone: Int64 = 2

  /// - Parameter capacity: how many offers will be inserted, at most.
  public init(capacity: Int) {
    let slots = max(16, 2 * capacity + 1)
    entries = [Entry](repeating: Entry(), count: slots)
    idSeed = UInt64.random(in: .min ... .max)
  }

  /// Adds an offer. `key` is the store's own number for it, above 0.
  public mutating func insert(
    id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64, isGone: Bool
  ) {
    precondition(count < entries.count - 1, "more offers than the stated capacity")
    let hash = hash(ofID: id)
    var slot = firstSlot(hash)
    while entries[slot].keyAndFlags != 0 { slot = next(slot) }
    entries[slot] = Entry(
      idHash: hash, contentHash: contentHash, keyAndFlags: key << 2 | (isGone ? Self.gone : 0))
    count += 1
    if !isGone { currentCount += 1 }
  }

  /// The offer with this id, or nil.
  public func find(id: UnsafeRawBufferPointer) -> Slot? {
    if count == 0 { return nil }
    let hash = hash(ofID: id)
    var slot = firstSlot(hash)
    while entries[slot].keyAndFlags != 0 {
      if entries[slot].idHash == hash { return slot }
      slot = next(slot)
    }
    return nil
  }

  public func key(at slot: Slot) -> Int64 { entries[slot].keyAndFlags >> 2 }
  public func contentHash(at slot: Slot) -> UInt64 { entries[slot].contentHash }
  public func isGone(at slot: Slot) -> Bool { entries[slot].keyAndFlags & Self.gone != 0 }

  /// Marks an offer as seen in this sync. Returns false when it was already.
  public mutating func markSeen(_ slot: Slot) -> Bool {
    let flags = entries[slot].keyAndFlags
    if flags & Self.seen != 0 { return false }
    entries[slot].keyAndFlags = flags | Self.seen
    if flags & Self.gone == 0 { seenCurrentCount += 1 }
    return true
  }

  /// The keys of the offers that the feed had and this sync has not seen, ascending.
  public func vanishedKeys() -> [Int64] {
    var vanished: [Int64] = []
    vanished.reserveCapacity(currentCount - seenCurrentCount)
    for entry in entries where entry.keyAndFlags != 0 && entry.keyAndFlags & 3 == 0 {
      vanished.append(entry.keyAndFlags >> 2)
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
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(entries.count)).high)
  }

  private func next(_ slot: Slot) -> Slot {
    slot + 1 == entries.count ? 0 : slot + 1
  }
}
