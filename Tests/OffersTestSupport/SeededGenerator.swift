import OffersFuzzing

/// A random number generator whose sequence depends only on its seed, for reproducible tests.
public typealias SeededGenerator = FuzzRandom

extension SeededGenerator {
  /// A generator whose sequence depends on ``TestSeed/run``, and on a number that tells it apart from
  /// the other generators of the suite.
  public init(number: some BinaryInteger) {
    self.init(seed: TestSeed.run &+ UInt64(truncatingIfNeeded: number))
  }
}
