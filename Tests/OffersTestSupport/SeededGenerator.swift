/// A random number generator (SplitMix64) whose sequence depends only on its seed, for reproducible
/// tests.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to a positive bound, exclusive.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension SeededGenerator {
  /// A generator whose sequence depends on ``TestSeed/run``, and on a number that tells it apart from
  /// the other generators of the suite.
  public init(number: some BinaryInteger) {
    self.init(seed: TestSeed.run &+ UInt64(truncatingIfNeeded: number))
  }
}
