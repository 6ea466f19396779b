/// What the store holds of one feed, reduced to what a sync compares: for each offer the hash of its
/// id, the hash of its content, its key, and whether it is gone. 24 bytes an offer, so a million
/// offers take 24 MB.
public struct KnownOffers: Sendable {
  private struct Entry {
    let idHash: UInt64
    let contentHash: UInt64
    private let keyAndFlag: Int64

    init(idHash: UInt64, contentHash: UInt64, key: Int64, isGone: Bool) {
      self.idHash = idHash
      self.contentHash = contentHash
      keyAndFlag = key << 1 | (isGone ? 1 : 0)
    }

    var key: Int64 { keyAndFlag >> 1 }
    var isGone: Bool { keyAndFlag & 1 != 0 }
  }

  /// In the order they were inserted, which is mostly the order they will be asked for.
  private var entries: [Entry] = []
  /// A bit for each entry that was seen since the table was made.
  private var seen: [UInt64] = []
  /// The entries by the hashes of their ids. Made when an offer first stands elsewhere than expected:
  /// a feed that keeps its order and has nothing new never needs it.
  private var index: SlotIndex?
  /// The entry behind the one found last.
  private var likely = 0
  private var brokenSlots: [Int] = []
  /// The seed of the ids' hashes, which the writer of a feed must not know: two ids with the same
  /// hash count as one.
  private let idSeed = UInt64.random(in: .min ... .max)
  /// Offers the feed had when it was last synced.
  public private(set) var currentCount = 0
  /// Of those, the ones seen since the table was made.
  public private(set) var seenCurrentCount = 0

  /// Offers in the table, gone ones included.
  public var count: Int { entries.count }

  /// - Parameter capacity: about how many offers will be inserted; never more than 4 billion.
  public init(capacity: Int) {
    entries.reserveCapacity(capacity)
  }

  /// Adds an offer. `key` is the store's own number for it, above 0.
  public mutating func insert(
    id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64, isGone: Bool
  ) {
    precondition(index == nil, "all offers are inserted before the first is looked for")
    entries.append(
      Entry(idHash: hash(id), contentHash: contentHash, key: key, isGone: isGone))
    if entries.count > 64 * seen.count { seen.append(0) }
    if !isGone { currentCount += 1 }
  }

  private func hash(_ id: UnsafeRawBufferPointer) -> UInt64 {
    var hash = ContentHash(seed: idSeed)
    hash.combine(id)
    return hash.value
  }

  /// What meeting an offer in the feed says about it.
  public enum Sighting: Hashable, Sendable {
    /// The store has not got it.
    case new
    /// It is as it was.
    case unchanged(key: Int64)
    /// Its content differs, or it was gone. The store's key for it.
    case different(key: Int64)
    /// It was met before in this sync.
    case repeated
  }

  /// Marks an offer as seen in this sync, and tells what is known of it.
  public mutating func see(id: UnsafeRawBufferPointer, contentHash: UInt64) -> Sighting {
    guard let slot = find(id) else { return .new }
    let entry = entries[slot]
    guard markSeen(slot) else { return .repeated }
    if entry.contentHash == contentHash && !entry.isGone { return .unchanged(key: entry.key) }
    return .different(key: entry.key)
  }

  /// Takes note of an offer whose record could not be read whole: it has not vanished. A sound
  /// record of it may still come.
  public mutating func seeBroken(id: UnsafeRawBufferPointer) {
    if let slot = find(id) { brokenSlots.append(slot) }
  }

  /// Counts the offers as seen that only broken records spoke of. Called when all is read.
  public mutating func settleBroken() {
    for slot in brokenSlots { _ = markSeen(slot) }
    brokenSlots = []
  }

  @inline(__always)
  private func isSeen(_ slot: Int) -> Bool { seen[slot >> 6] & Self.bit(slot) != 0 }

  /// The bit of an entry in its word of `seen`.
  @inline(__always)
  private static func bit(_ slot: Int) -> UInt64 { 1 << UInt64(slot & 63) }

  /// Returns false when the offer was seen already.
  @inline(__always)
  private mutating func markSeen(_ slot: Int) -> Bool {
    if isSeen(slot) { return false }
    seen[slot >> 6] |= Self.bit(slot)
    if !entries[slot].isGone { seenCurrentCount += 1 }
    return true
  }

  private mutating func find(_ id: UnsafeRawBufferPointer) -> Int? {
    if entries.isEmpty { return nil }
    let hash = hash(id)
    if likely < entries.count, entries[likely].idHash == hash {
      likely += 1
      return likely - 1
    }
    if index == nil { index = makeIndex() }
    guard let slot = index?.first(hash, where: { entries[$0].idHash == hash }) else { return nil }
    likely = slot + 1
    return slot
  }

  /// The keys of the offers that the feed had and this sync has not seen, ascending.
  public func vanishedKeys() -> [Int64] {
    var vanished: [Int64] = []
    vanished.reserveCapacity(currentCount - seenCurrentCount)
    for (slot, entry) in entries.enumerated()
    where !entry.isGone && !isSeen(slot) {
      vanished.append(entry.key)
    }
    vanished.sort()
    return vanished
  }

  private func makeIndex() -> SlotIndex {
    var made = SlotIndex(count: entries.count)
    for (slot, entry) in entries.enumerated() { made.insert(slot, hash: entry.idHash) }
    return made
  }
}
