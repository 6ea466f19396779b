import ArgumentParser
import OffersCore

/// The program's exit codes, all in one place. Wrong usage is 64, which ArgumentParser gives.
enum ExitStatus {
  static let failed = ExitCode(1)
  /// Some of several feeds failed.
  static let someFailed = ExitCode(3)
  /// Another process is syncing the same feed.
  static let locked = ExitCode(11)
  static let wrongUsage = ExitCode(64)
  /// No such offer, feed or input.
  static let notFound = ExitCode(66)

  static func code(for error: OffersError) -> ExitCode {
    switch error.code {
    case .notFound, .ambiguous: notFound
    case .invalidRequest: wrongUsage
    case .locked: locked
    case .malformedFeed, .unexpectedShape, .malformedImage, .sourceFailed, .limitExceeded,
      .quarantined, .storageFailed, .newerDatabase:
      failed
    }
  }

  /// The code for a sync of several feeds; nil when all went well.
  static func code(forFailures failures: [OffersError], of feedCount: Int) -> ExitCode? {
    guard let first = failures.first else { return nil }
    // Whoever else syncs a feed does what was asked for: that alone is no failure of the others.
    if failures.allSatisfy({ $0.code == .locked }) { return locked }
    if failures.count < feedCount { return someFailed }
    let codes = Set(failures.map { code(for: $0) })
    return codes.count == 1 ? code(for: first) : failed
  }
}
