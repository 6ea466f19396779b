import OffersCore

/// Counts the distinct names of a document's elements and attributes, to bound their number.
///
/// expat keeps each distinct name until the document ends. A name is represented by a 64-bit hash
/// with a random seed, which no document can anticipate. A small table of recent names avoids most
/// lookups in the set.
final class XMLNameLimit {
  private var known: Set<UInt64> = []
  private var nameBytes = 0
  private let seed = UInt64.random(in: 1 ... .max)
  private let recent: UnsafeMutableBufferPointer<UInt64>

  static let limit = 100_000
  /// The largest total size of the names, in bytes.
  static let limitBytes = 8 << 20
  private static let recentCount = 1 << 10

  init() {
    recent = .allocate(capacity: Self.recentCount)
    recent.initialize(repeating: 0)
  }

  deinit { recent.deallocate() }

  /// Counts a name; returns a description of the limit that it exceeds, or nil.
  @inline(__always)
  func take(_ name: UnsafeRawBufferPointer) -> String? {
    var hash = ContentHash(seed: seed)
    hash.combine(name)
    let value = hash.value
    let place = Int(truncatingIfNeeded: value) & (Self.recentCount - 1)
    if recent[place] == value { return nil }
    recent[place] = value
    return takeRare(value, name.count)
  }

  private func takeRare(_ value: UInt64, _ count: Int) -> String? {
    guard known.insert(value).inserted else { return nil }
    nameBytes += count
    if known.count > Self.limit { return "more than 100,000 different names" }
    return nameBytes > Self.limitBytes ? "different names of more than 8 MiB" : nil
  }
}
