import OffersCore
import OffersPlatform

/// The question for the currency of a feed whose amounts have none. It is asked after the sync that
/// first found such amounts, and not again when a feed turns over.
enum MissingCurrency {
  /// The number of offers among which amounts without a currency are sought: the first ones of the feed, so
  /// that a later sync looks at the same.
  private static let sampleCount = 50

  /// Whether a run found the first amounts without a currency of its feed.
  static func isNew(in run: SyncRun, _ offers: any OfferRepository) async throws -> Bool {
    guard run.counts.new > 0, run.counts.gone == 0, run.held == nil else { return false }
    let sample = try await offers.fetchOffers(OfferQuery(feed: run.feed, limit: sampleCount))
    let times = sample.filter {
      if case .amount(_, nil)? = $0.reward?.value { true } else { false }
    }.map(\.firstSeenAt)
    guard let first = times.min() else { return false }
    // Stored times are whole seconds.
    return first.storedSeconds >= run.startedAt.storedSeconds
  }

  static func question(of feed: String) -> String {
    "The amounts of \(feed) have no currency. Which one is it? Set it: "
      + "offers feeds set \(ShellQuoting.word(feed)) --currency USD"
  }
}
