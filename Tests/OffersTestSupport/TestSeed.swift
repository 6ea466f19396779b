import Foundation

/// The seed of the random tests.
public enum TestSeed {
  /// `OFFERS_TEST_SEED`, or another one in each process, so that repeated runs try different inputs.
  ///
  /// It is printed at its first use. A test repeats its inputs, whichever tests run beside it, when
  /// the variable is set to the printed number.
  public static let run: UInt64 = {
    let given = ProcessInfo.processInfo.environment["OFFERS_TEST_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    FileHandle.standardError.write(
      Data("The random tests of this process run with OFFERS_TEST_SEED=\(seed).\n".utf8))
    return seed
  }()
}
