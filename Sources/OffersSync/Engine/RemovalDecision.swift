import Foundation
import OffersCore
import OffersFeeds

/// Decides which of the offers that a document lacks are removed, and which are held back.
///
/// A document that lacks few offers is believed. One that lacks many may be faulty: these offers are
/// marked as missing, and go when a later document, fetched after the hold, lacks them, too. An offer that
/// waits goes on waiting until then, however many others there are. Removing late is harmless, and so is
/// removing: a vanished offer is kept for a month, a favorite for ever.
struct RemovalDecision: Hashable {
  /// The keys of the offers that are removed, ascending.
  private(set) var vanishedKeys: [Int64] = []
  /// The offers that stay although the document lacks them.
  private(set) var missing: [MissingOffer] = []
  /// The removals, or the whole document, that are held back; nil if neither is.
  private(set) var held: HeldBack?
  /// Whether the new and changed offers of the document are stored.
  private(set) var takesOffers = true

  /// The document of a sync, compared with the stored offers.
  struct Document: Hashable {
    /// The keys of the current offers that it lacks, ascending.
    var missingKeys: [Int64] = []
    /// The number of current offers before the sync, those that were missing before included.
    var currentCount = 0
    /// The number of its offers.
    var offerCount = 0
    /// Whether it has no known offer, and does not look like a document of the feed.
    var isStrange = false
    /// Whether it may have offers that were not seen.
    var isDoubtful = false
  }

  /// The decision of the user who started the sync.
  enum Choice: Hashable {
    case none
    /// All missing offers are removed.
    case remove
    /// All missing offers are kept until the feed has them again.
    case keep
  }

  private typealias Mark = (key: Int64, since: Date)

  /// The number of offers that may vanish at once, whatever their share.
  private static let harmlessCount = 10
  /// The share of the offers that may vanish at once, in percent, whatever their number.
  private static let harmlessPercent = 10
  /// How long an empty document has to stay empty.
  private static let emptySeconds = 3.0 * 86_400
  /// A scheduled sync may begin so much earlier than the one that it confirms, at most.
  private static let slackSeconds = 60.0

  /// - Parameters:
  ///   - marks: the offers that were missing before, and since when.
  ///   - older: the offers that have slid out of a window, which are not among the missing ones.
  init(
    _ document: Document, marks: [MissingOffer], older: [MissingOffer] = [], hold: RemovalHold,
    choice: Choice, now: Date
  ) {
    decide(document, marks, hold, choice, now)
    missing = (missing + older).sorted { $0.key < $1.key }
  }

  private mutating func decide(
    _ document: Document, _ marks: [MissingOffer], _ hold: RemovalHold, _ choice: Choice,
    _ now: Date
  ) {
    if choice == .remove {
      vanishedKeys = document.missingKeys
      return
    }
    let isEmpty = document.offerCount == 0
    let wait = Self.waitSeconds(hold, isEmpty: isEmpty)
    let known = Dictionary(marks.map { ($0.key, $0) }) { first, _ in first }
    var confirmed: [Mark] = []
    var waiting: [Mark] = []
    var new: [Mark] = []
    for key in document.missingKeys {
      let mark = known[key]
      if choice == .keep || mark.map({ $0.since == nil }) == true {
        missing.append(MissingOffer(key: key, since: nil))
        continue
      }
      // A time ahead was stored under a wrong clock.
      let since = min(mark?.since ?? now, now)
      let slack = min(wait / 60, Self.slackSeconds)
      if wait == 0 || mark != nil && now.timeIntervalSince(since) >= wait - slack {
        confirmed.append((key, since))
      } else if mark != nil {
        waiting.append((key, since))
      } else {
        new.append((key, since))
      }
    }
    let rest = document.currentCount - confirmed.count - missing.count
    // The second condition: all that the last document had.
    let isMuch =
      Self.isMuch(waiting.count + new.count, of: rest)
      || new.count == document.currentCount - marks.count
    if document.isStrange || document.isDoubtful || isEmpty || isMuch {
      waiting += new
      new = []
    }
    if document.isStrange, !missing.isEmpty || !waiting.isEmpty {
      // While a person keeps the offers, nothing of another feed's document is believed.
      takesOffers = false
      let isKept = !missing.isEmpty
      holdBack(confirmed, waiting, isKept ? .infinity : wait, now)
      held?.waitingCount = document.offerCount
    } else if isEmpty, !waiting.isEmpty {
      holdBack(confirmed, waiting, wait, now)
    } else {
      vanishedKeys = (confirmed + new).map(\.key).sorted()
      guard !waiting.isEmpty else { return }
      holdBack([], waiting, wait, now)
      let first = waiting.lazy.map(\.since).min() ?? now
      held?.until = wait.isFinite ? first.addingTimeInterval(wait) : nil
    }
  }

  /// When the feed should be synced to confirm the removals; nil for its usual time.
  var confirmAt: Date? { held?.until }

  /// Holds offers back, together with those that a person keeps. They go together, when the last of
  /// them has been missing for the wait.
  private mutating func holdBack(
    _ confirmed: [Mark], _ waiting: [Mark], _ wait: TimeInterval, _ now: Date
  ) {
    let keptCount = wait.isFinite ? 0 : missing.count
    let offers = confirmed + waiting
    missing += offers.map { MissingOffer(key: $0.key, since: $0.since) }
    missing.sort { $0.key < $1.key }
    let sinces = offers.map(\.since)
    held = HeldBack(
      missingCount: offers.count + keptCount, since: sinces.min() ?? now,
      until: wait.isFinite ? (sinces.max() ?? now).addingTimeInterval(wait) : nil)
  }

  private static func waitSeconds(_ hold: RemovalHold, isEmpty: Bool) -> TimeInterval {
    switch hold {
    case .never: .infinity
    case .seconds(let seconds): isEmpty ? max(TimeInterval(seconds), emptySeconds) : .init(seconds)
    }
  }

  /// Whether so many of a feed's offers vanish that the document may be faulty.
  private static func isMuch(_ count: Int, of all: Int) -> Bool {
    count > 0 && count == all
      || count > harmlessCount && count * 100 > all * harmlessPercent
  }
}
