/// One line of an export: something that is kept of a database, as text and numbers.
///
/// Times are Unix seconds, and lists are JSON as records hold them: what goes in comes out as it
/// was, byte for byte.
package enum ExportRecord: Sendable {
  case feed(ExportedFeed)
  case run(ExportedRun)
  case offer(ExportedOffer)
  case change(ExportedChange)
  case favorite(ExportedFavorite)

  /// The lists of an export, in the order they come in.
  package enum Section: Int, CaseIterable, Sendable {
    case feeds, runs, offers, changes, favorites

    package var name: String { "\(self)" }

    /// What one element of it is called.
    package var noun: String { String(name.dropLast()) }
  }

  package var section: Section {
    switch self {
    case .feed: .feeds
    case .run: .runs
    case .offer: .offers
    case .change: .changes
    case .favorite: .favorites
    }
  }
}

/// The form of the document.
package enum ExportFormat {
  /// What the document says that it is.
  package static let name = "offers-export"
  /// Goes up when an older program could not read all of a document.
  package static let version = 1
}

/// A feed as a person knows it. How its server is asked is not told.
package struct ExportedFeed: Hashable, Sendable {
  package var name = ""
  package var title: String?
  package var source = ""
  /// The source that a person named.
  package var chosenSource: String?
  package var subscribedAt: Int64 = 0
  package var unsubscribedAt: Int64?
  /// What all its offers show.
  package var shared: [OfferAttribute] = []

  package init() {}
}

/// A sync, which changes and the state of a feed go back to.
package struct ExportedRun: Hashable, Sendable {
  package var feed = ""
  package var source = ""
  package var startedAt: Int64 = 0
  package var durationMilliseconds: Int64 = 0
  package var outcome = SyncOutcome.updated
  package var bytes: Int64 = 0
  /// In the order of `countNames`.
  package var counts: [Int64] = []
  package var error: Failure?

  package struct Failure: Hashable, Sendable {
    package var code: String
    package var message: String
    package var hint: String?

    package init(code: String, message: String, hint: String?) {
      self.code = code
      self.message = message
      self.hint = hint
    }
  }

  package static let countNames = [
    "new", "changed", "gone", "back", "unchanged", "skipped", "mended",
  ]

  /// Whether it saw what the feed had.
  package var isGood: Bool { outcome == .updated || outcome == .unchanged }

  package init() {}
}

/// An offer, with what a sync noted about it.
package struct ExportedOffer: Hashable, Sendable {
  package var ref = OfferRef(feed: "", id: "")
  package var name = ""
  package var description: String?
  package var terms: String?
  package var reward: Reward?
  package var imageURL: String?
  package var url: String?
  package var retailer: String?
  /// A JSON list of texts, as `OfferField.categories`.
  package var categories: String?
  package var startsAt: Int64?
  package var expiresAt: Int64?
  package var latitude: Double?
  package var longitude: Double?
  /// A JSON list of lists of two texts, as `OfferField.attributes`; the offer's own ones.
  package var attributes: String?
  package var firstSeenAt: Int64 = 0
  package var changedAt: Int64 = 0
  package var goneAt: Int64?
  /// Whether the document had more of it than an offer keeps; see `OfferLimits`.
  package var isCut = false

  package init() {}

  /// Whether there is anything of what only some feeds say.
  package var hasDetails: Bool {
    retailer != nil || categories != nil || startsAt != nil || expiresAt != nil || latitude != nil
      || longitude != nil || attributes != nil
  }

  /// Whether the feed says the same here and there, byte for byte.
  package func says(asMuchAs other: ExportedOffer) -> Bool {
    func same(_ left: String?, _ right: String?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      return left.utf8.elementsEqual(right.utf8)
    }
    return same(name, other.name) && same(description, other.description)
      && same(terms, other.terms) && same(reward?.text, other.reward?.text)
      && reward?.value == other.reward?.value && reward?.isUpTo == other.reward?.isUpTo
      && same(imageURL, other.imageURL) && same(url, other.url) && same(retailer, other.retailer)
      && same(categories, other.categories) && startsAt == other.startsAt
      && expiresAt == other.expiresAt && latitude == other.latitude
      && longitude == other.longitude && same(attributes, other.attributes)
  }
}

/// That an offer was new, changed, gone or back.
package struct ExportedChange: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable { case new, changed, gone, back }

  package var ref = OfferRef(feed: "", id: "")
  /// Which run of the document saw it, counted from 1.
  package var run = 0
  package var kind = Kind.new
  /// For a changed one, which fields, from what to what: a JSON object.
  package var fields: String?

  package init() {}
}

/// A person's star. Its offer need not be there.
package struct ExportedFavorite: Hashable, Sendable {
  package var ref = OfferRef(feed: "", id: "")
  package var starredAt: Int64 = 0

  package init() {}
}

/// Records on their way into a database.
package protocol ExportRecordSource: Sendable {
  /// Hands over each record, section by section. It can be called again and gives the same.
  func forEachRecord(_ body: (ExportRecord) throws -> Void) throws
}
