import OffersTestSupport

/// Makes inputs by corrupting valid documents.
struct FuzzInputs {
  private let seeds: [[UInt8]]
  private let tokens: [[UInt8]]
  private let format: FuzzFormat
  private let seed: UInt64

  /// The largest size of an input, in bytes.
  private static let limitBytes = 64 << 10

  init(_ format: FuzzFormat, seed: UInt64) {
    self.format = format
    self.seed = seed
    seeds = FuzzSeeds.seeds(of: format)
    tokens = FuzzSeeds.tokens(of: format).map { Array($0.utf8) }
  }

  /// Returns the input with a number, and the random generator that made it, for further choices
  /// that must be reproducible.
  func input(_ number: Int) -> (bytes: [UInt8], random: SeededGenerator) {
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x5851_f42d_4c95_7f2d)
    var bytes = seeds[random.below(seeds.count)]
    // Usually a single change, since a reader refuses heavily corrupted input at once.
    for _ in 0..<(random.below(3) > 0 ? 1 : 1 + random.below(8)) { change(&bytes, &random) }
    if bytes.count > Self.limitBytes { bytes.removeLast(bytes.count - Self.limitBytes) }
    return (bytes, random)
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else {
      bytes = tokens[random.below(tokens.count)]
      return
    }
    let place = random.below(bytes.count)
    switch random.below(11) {
    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
    case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    case 4, 5: bytes.insert(contentsOf: tokens[random.below(tokens.count)], at: place)
    case 6:
      let token = tokens[random.below(tokens.count)]
      bytes.insert(
        contentsOf: Array(repeating: token, count: 1 + random.below(300)).joined(), at: place)
    case 7: bytes.removeLast(bytes.count - place)
    case 8:
      let end = min(bytes.count, place + 1 + random.below(200))
      bytes.insert(contentsOf: Array(bytes[place..<end]), at: random.below(bytes.count))
    case 9: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(60)))
    default:
      let other = seeds[random.below(seeds.count)]
      bytes = Array(bytes[..<place]) + Array(other[min(other.count, place)...])
    }
  }
}
