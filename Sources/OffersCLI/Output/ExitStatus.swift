import ArgumentParser
import OffersCore

/// The exit codes of the program. Wrong usage is 64, as in ArgumentParser (`EX_USAGE`).
enum ExitStatus {
  static let failed = ExitCode(1)
  /// Some of several feeds failed.
  static let someFailed = ExitCode(3)
  /// Somebody else holds a lock, such as another sync of the same feed.
  static let locked = ExitCode(11)
  static let wrongUsage = ExitCode(64)
  /// No such offer, feed, user, input or database, an ambiguous id, or no result of a search with
  /// `--exit-status`.
  static let notFound = ExitCode(66)

  static func code(for error: OffersError) -> ExitCode {
    switch error.code {
    case .notFound, .ambiguous: notFound
    case .invalidRequest: wrongUsage
    case .locked: locked
    case .malformedFeed, .unexpectedShape, .malformedImage, .sourceFailed, .noNetwork,
      .limitExceeded, .quarantined, .storageFailed, .storeUnreachable, .newerDatabase:
      failed
    }
  }

  /// The exit code of a sync of one or several feeds; nil if no feed failed.
  static func code(forFailures failures: [OffersError], of feedCount: Int) -> ExitCode? {
    guard let first = failures.first else { return nil }
    // Another sync of a locked feed is running, so that the sync as a whole has not failed.
    if failures.allSatisfy({ $0.code == .locked }) { return locked }
    if failures.count < feedCount { return someFailed }
    let codes = Set(failures.map { code(for: $0) })
    return codes.count == 1 ? code(for: first) : failed
  }
}
