import OffersCore

/// Parses rewards and memoizes recent results, since a feed prints few different rewards, each many
/// times.
package struct RewardMemo {
  /// A text of 8 to 24 bytes, held exactly as three words, which may overlap, and its length.
  private struct Key: Equatable {
    static let byteCounts = 8...24

    private let words: SIMD4<UInt64>

    @inline(__always)
    init(_ text: UnsafeRawBufferPointer) {
      let count = text.count
      words = SIMD4(
        text.loadUnaligned(as: UInt64.self),
        text.loadUnaligned(fromByteOffset: min(8, count - 8), as: UInt64.self),
        text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self), UInt64(count))
    }

    /// Creates a key that no text equals.
    init() { words = SIMD4() }

    /// The index of the key's slot in `known`, below `placeCount`.
    @inline(__always)
    var place: Int {
      let mixed = (words[0] ^ words[1] &* 0xd6e8_feb8_6659_fd93 ^ words[2]) &* 0x9e37_79b9_7f4a_7c15
      return Int(truncatingIfNeeded: mixed >> 57)
    }
  }

  private static let placeCount = 128

  private let parser: RewardParser
  private var known = [(key: Key, reward: ExactReward)](
    repeating: (Key(), ExactReward()), count: placeCount)

  package init(_ parser: RewardParser) {
    self.parser = parser
  }

  /// - Parameters:
  ///   - text: the printed reward in UTF-8.
  ///   - currency: the code of the currency that the record states beside the text; nil for none.
  ///   - isNumber: whether the text has a JSON number in it.
  package mutating func parse(
    _ text: UnsafeRawBufferPointer, currency: (UInt8, UInt8, UInt8)? = nil, isNumber: Bool = false
  ) -> ExactReward {
    if currency != nil || isNumber {
      return parser.parse(text, currency: currency, isNumber: isNumber)
    }
    guard Key.byteCounts.contains(text.count) else { return parser.parse(text) }
    let key = Key(text)
    let place = key.place
    if known[place].key == key { return known[place].reward }
    let reward = parser.parse(text)
    known[place] = (key, reward)
    return reward
  }
}
