import OffersCore

/// Counts the different names of a document's elements and attributes, for a bound on them.
///
/// expat keeps each one for as long as it reads. A name is known by a hash of 64 bits with a seed
/// that no document can know; the last ones that were met are found without a look at the rest.
final class XMLNameCount {
  private var known: Set<UInt64> = []
  private var nameBytes = 0
  private let seed = UInt64.random(in: 1 ... .max)
  private let recent: UnsafeMutableBufferPointer<UInt64>

  static let limit = 100_000
  /// For all of them together.
  static let limitBytes = 8 << 20
  private static let recentCount = 1 << 10

  init() {
    recent = .allocate(capacity: Self.recentCount)
    recent.initialize(repeating: 0)
  }

  deinit { recent.deallocate() }

  /// Takes a name; returns what there is too much of, in words, or nil.
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
