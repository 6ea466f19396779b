import Foundation
import OffersCore

/// All data of a store in memory.
struct MemoryState: Sendable {
  /// The record of one user.
  struct Record: Sendable {
    /// The favorites with the times at which they were starred.
    var favorites: [OfferRef: Date] = [:]
    /// The favorites that are shared with the household, with the times at which they were shared.
    var shared: [OfferRef: Date] = [:]
    /// The recent searches, the latest first.
    var searches: [RecentSearch] = []
    /// By the bytes of the names of readers.
    var marks: [[UInt8]: ReaderMark] = [:]
  }

  var version: Int64 = 0
  /// In the order of their numbers, the owner first.
  var users = [User(id: User.ownerID, name: "owner", role: .admin, createdAt: Date())]
  var lastUserID = User.ownerID
  var records: [User.ID: Record] = [User.ownerID: Record()]
  var feeds: [String: MemoryFeed] = [:]
  /// In the order in which syncs first found them.
  var offers: [MemoryOffer] = []
  var lastKey: Int64 = 0
  /// In the order in which they were recorded.
  var changes: [MemoryChange] = []
  var lastChangeID: Int64 = 0

  /// The record of a user; an empty one if they were removed.
  func record(of user: User.ID) -> Record { records[user] ?? Record() }

  /// Changes the record of a user.
  ///
  /// - Throws: `OffersError` with `notFound` if the user was removed.
  mutating func changeRecord<Result>(
    of user: User.ID, _ body: (inout Record) throws -> Result
  ) throws -> Result {
    guard var record = records[user] else {
      throw OffersError(.notFound, "There is no such user: they were removed.")
    }
    let result = try body(&record)
    records[user] = record
    return result
  }

  /// Whether an offer is a favorite of any user.
  func isStarred(_ ref: OfferRef) -> Bool {
    records.values.contains { $0.favorites[ref] != nil }
  }

  /// Whether an offer is in the lists of its feed: one that the feed has, or one that only a search on
  /// its server found and that somebody starred.
  func isCurrent(_ offer: MemoryOffer) -> Bool {
    offer.goneAt == nil && (offer.foundAt == nil || isStarred(offer.ref))
  }

  /// Gives an offer another id, with its stars.
  mutating func rename(_ key: Int64, from old: OfferRef, to new: OfferRef) {
    guard let place = findPlace(key) else { return }
    offers[place].ref = new
    for user in records.keys {
      if let at = records[user]?.favorites.removeValue(forKey: old) {
        records[user]?.favorites[new] = at
      }
      if let at = records[user]?.shared.removeValue(forKey: old) { records[user]?.shared[new] = at }
    }
  }

  /// The place of an offer in `offers`.
  func findPlace(_ key: Int64) -> Int? {
    var range = offers.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        offers[middle].key < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    let place = range.lowerBound
    return place < offers.count && offers[place].key == key ? place : nil
  }

  func find(_ ref: OfferRef) -> MemoryOffer? { offers.first { $0.ref == ref } }

  /// An offer as a user sees it.
  func view(_ offer: MemoryOffer, of user: User.ID) -> UserOffer {
    UserOffer(
      offer.offer(shared: feeds[offer.ref.feed]?.shared ?? []),
      isFavorite: record(of: user).favorites[offer.ref] != nil)
  }

  private var nearIDs: NearIDs {
    NearIDs(feeds: subscribedFeeds) { feed, prefix, limit in
      offers.filter {
        $0.ref.feed == feed && $0.ref.offerID.utf8.starts(with: prefix.utf8)
      }
      .map { ($0.ref, $0.offer(shared: []).name) }
      .sorted { $0.0.offerID.utf8.lexicographicallyPrecedes($1.0.offerID.utf8) }
      .prefix(limit).map { $0 }
    }
  }

  /// Finds the offer that a text names, by a reference or a bare id.
  ///
  /// - Throws: `OffersError` with `notFound` or `ambiguous`.
  func fetch(named text: String) throws -> MemoryOffer {
    if let ref = OfferRef(text), let offer = find(ref) { return offer }
    let found = offers.filter { $0.ref.offerID.hasSameBytes(as: text) }
      .sorted { $0.ref.feed < $1.ref.feed }
    if found.count == 1 { return found[0] }
    if found.isEmpty { throw try nearIDs.missing(text) { find($0) != nil } }
    let names = found.map(\.ref.description).joined(separator: ", ")
    throw OffersError(
      .ambiguous, "Several feeds have an offer “\(text)”.", hint: "Say which: \(names).")
  }

  /// Refuses a feed that is neither subscribed nor has offers.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the subscribed feeds.
  func checkFeed(_ name: String?) throws {
    guard let name, feeds[name]?.isSubscribed != true,
      !offers.contains(where: { $0.ref.feed == name })
    else { return }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(for: name, among: subscribedFeeds, title: "Feeds"))
  }

  /// The names of the subscribed feeds, sorted.
  var subscribedFeeds: [String] { feeds.filter(\.value.isSubscribed).keys.sorted() }
}
