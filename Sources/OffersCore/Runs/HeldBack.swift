import Foundation

/// The changes of a document that wait for a later document to confirm them.
///
/// A document that would remove many offers at once may be faulty. Its new and changed offers are
/// stored at once, unless it does not look like a document of the feed: then it waits as a whole.
public struct HeldBack: Hashable, Sendable, Codable {
  /// The number of offers that the document lacks, and that are still in the list.
  public var missingCount: Int
  /// The number of offers of a document that waits as a whole; otherwise 0.
  public var waitingCount: Int
  /// When the first of the missing offers was first missed.
  public var since: Date
  /// When the first of them go, if a document lacks them then; nil if only a person decides that.
  public var until: Date?

  /// Creates the changes that are held back of their parts; the properties describe them.
  public init(missingCount: Int, waitingCount: Int = 0, since: Date, until: Date?) {
    self.missingCount = missingCount
    self.waitingCount = waitingCount
    self.since = since
    self.until = until
  }

  /// A sentence for people about the missing offers, without a full stop.
  ///
  /// - Parameter currentCount: the number of offers in the feed's list, with the missing ones.
  package func sentence(
    of currentCount: Int, _ noun: OfferNoun = .offer, at now: Date
  ) -> String {
    let isOne = missingCount == 1
    let whole = "\(Units.count(missingCount)) of \(Units.count(currentCount, noun))"
    var text =
      "\(whole) \(isOne ? "is" : "are") missing from the feed since \(Units.time(since)): held back"
    if waitingCount > 0 {
      text +=
        " with a document of \(Units.count(waitingCount, noun)) that does not look like the feed"
    }
    let goes = isOne ? "it goes" : "they go"
    guard let until else {
      return text + " until \(isOne ? "it is" : "they are") removed by hand"
    }
    // The feed could not be read at that time.
    if until <= now {
      return text + "; \(goes) with the next document that lacks \(isOne ? "it" : "them")"
    }
    return text + "; \(goes) at \(Units.time(until)) if it stays so"
  }
}

/// The offers in a list that the feed lacks, and that a user decided to keep.
package enum KeptOffers {
  /// A sentence for people, without a full stop; nil for none.
  package static func sentence(_ count: Int, _ noun: OfferNoun) -> String? {
    if count == 0 { return nil }
    let (verb, pronoun) = count == 1 ? ("is", "it") : ("are", "them")
    return
      "\(Units.count(count, noun)) that the feed lacks \(verb) kept until it has \(pronoun) again"
  }
}

/// A current offer that the last document of its feed lacks, and that was not removed.
package struct MissingOffer: Hashable, Sendable {
  /// The store's key of the offer.
  package let key: Int64
  /// When a sync first missed the offer; nil if a person decided to keep it.
  package let since: Date?
  /// Whether it has slid out of the window that its feed shows, so that it is not gone.
  package let isOlder: Bool

  package init(key: Int64, since: Date?, isOlder: Bool = false) {
    self.key = key
    self.since = since
    self.isOlder = isOlder
  }
}
