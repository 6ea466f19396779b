import Foundation

/// An offer on the household list, with the users who share it.
package struct HouseholdOffer: Hashable, Sendable, Identifiable {
  /// A user who shares an offer.
  package struct Sharer: Hashable, Sendable, Identifiable {
    /// The user's number.
    package let id: User.ID
    /// The user's name.
    package let name: String
    /// When the user shared the offer.
    package let sharedAt: Date

    /// Creates a sharer of the parts; the properties describe them.
    package init(id: User.ID, name: String, sharedAt: Date) {
      self.id = id
      self.name = name
      self.sharedAt = sharedAt
    }
  }

  /// The offer as the bound user sees it.
  package let offer: UserOffer
  /// The users who share it, in the order in which they did; empty for an offer that is not on the
  /// list.
  package let sharers: [Sharer]

  /// Creates an offer of the household of its parts; the properties describe them.
  package init(offer: UserOffer, sharers: [Sharer]) {
    self.offer = offer
    self.sharers = sharers
  }

  /// The reference of the offer, which is on the list once.
  package var id: OfferRef { offer.ref }

  /// Whether the offer is on the list.
  package var isShared: Bool { !sharers.isEmpty }

  /// Whether a user shares the offer.
  package func isShared(by user: User.ID) -> Bool { sharers.contains { $0.id == user } }

  /// The position of the offer in the list, for `HouseholdQuery.after`.
  package var position: OfferPosition {
    OfferPosition(
      offer.ref,
      values: sharers.first.map { [.number($0.sharedAt.storedSeconds)] } ?? [])
  }

  /// The size of the offer's texts and of the names, in bytes of UTF-8.
  package var textBytes: Int { sharers.reduce(offer.textBytes) { $0 + $1.name.utf8.count } }
}

/// Selects a part of the household list.
package struct HouseholdQuery: Hashable, Sendable {
  /// The maximum number of offers; nil for all.
  package var limit: Int?
  /// The number of offers to skip at the beginning.
  package var offset: Int
  /// Only offers of this feed; nil for all.
  package var feed: String?
  /// Only offers after this position: `HouseholdOfferPage.next` of the previous page.
  package var after: OfferPosition?
  /// The size to which the texts of an offer are truncated; see `OfferQuery.textBytes`.
  package var textBytes: Int?

  /// Creates a query. Without arguments it selects the whole list.
  package init(
    limit: Int? = nil, offset: Int = 0, feed: String? = nil, after: OfferPosition? = nil,
    textBytes: Int? = nil
  ) {
    self.limit = limit
    self.offset = offset
    self.feed = feed
    self.after = after
    self.textBytes = textBytes
  }

  /// The time and the reference of the offer after which the list continues; nil to begin it.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a position in another list.
  package func start() throws -> (sharedAt: Int64, ref: OfferRef)? {
    guard let after else { return nil }
    guard after.values.count == 1, case .number(let sharedAt) = after.values[0] else {
      throw OffersError(
        .invalidRequest, "The position to continue from belongs to another list.",
        hint: "Start the list from the beginning.")
    }
    return (sharedAt, after.ref)
  }
}

/// A page of the household list.
package struct HouseholdOfferPage: Hashable, Sendable {
  /// The offers of the page, in the list's order.
  package let offers: [HouseholdOffer]
  /// The position after which the next page begins (`HouseholdQuery.after`); nil for the last page.
  package let next: OfferPosition?

  /// Creates a page of its parts; the properties describe them.
  package init(offers: [HouseholdOffer], next: OfferPosition? = nil) {
    self.offers = offers
    self.next = next
  }

  /// Creates the page of the first offers whose texts have at most `maximumBytes` together; at least
  /// one, if there are any.
  ///
  /// - Parameters:
  ///   - hasMore: whether the list has more offers after these.
  ///   - maximumBytes: the limit, in bytes of UTF-8.
  package init(of offers: [HouseholdOffer], hasMore: Bool, maximumBytes: Int) {
    var bytes = 0
    let fitting = offers.prefix { offer in
      let isFirst = bytes == 0
      bytes += offer.textBytes
      return isFirst || bytes <= maximumBytes
    }
    let isLast = !hasMore && fitting.count == offers.count
    self.init(offers: Array(fitting), next: isLast ? nil : fitting.last?.position)
  }
}

extension JSONWriter {
  /// Writes an offer of the household in the form of `--json` and the API: the offer with the member
  /// `shared_by`.
  ///
  /// - Parameter now: the time at which the offer counts as expired.
  package mutating func value(_ found: HouseholdOffer, at now: Date) {
    value(found.offer, at: now) { $0.member(sharersOf: found) }
  }

  /// Writes the member `shared_by`: the names of the users who share an offer, with the times, and no
  /// other data of theirs.
  package mutating func member(sharersOf found: HouseholdOffer) {
    member("shared_by", objects: found.sharers) { json, sharer in
      json.member("user", sharer.name)
      json.member("shared_at", sharer.sharedAt)
    }
  }
}

/// The result of sharing an offer, or of taking it off the household list.
package struct SharingChange: Hashable, Sendable {
  /// The offer after the call.
  package let offer: HouseholdOffer
  /// False when the bound user shared the offer already, or when nobody shared the offer that was
  /// to be taken off.
  package let didChange: Bool

  /// Creates a change of its parts; the properties describe them.
  package init(offer: HouseholdOffer, didChange: Bool) {
    self.offer = offer
    self.didChange = didChange
  }
}
