import Foundation

/// How much the random and campaign-like tests do: a twentieth, unless `OFFERS_TEST_LONG=1` asks for
/// all of it.
public enum TestSize {
  public static let isLong = ProcessInfo.processInfo.environment["OFFERS_TEST_LONG"] == "1"

  /// The number of rounds, operations or samples to run of a number that is the whole.
  public static func scaled(_ count: Int) -> Int { isLong ? count : max(1, count / 20) }
}
