import Foundation
import GRDB
import OffersCore
import OffersStore

/// The statements of an import into the database.
final class DatabaseImport: SQLImport {
  private let database: Database
  var transaction: any Transaction { SQLiteTransaction(database) }
  private let history: ImportedHistory
  private let offers: ImportedOfferWriter

  init(_ database: Database) throws {
    self.database = database
    history = try ImportedHistory(database)
    offers = try ImportedOfferWriter(database)
  }

  // Offers.

  var lastOfferKey: Int64 { offers.lastKey }

  func findOffers(_ wanted: [ImportedRef]) throws -> [StoredOffer?] {
    try wanted.map { wanted in
      try offers.find(wanted.ref, feedKey: wanted.feedKey).map {
        StoredOffer(key: $0.key, offer: $0.offer)
      }
    }
  }

  func insert(_ offers: [(offer: ExportedOffer, feedKey: Int64)]) throws {
    for (offer, feedKey) in offers { try self.offers.insert(offer, feedKey: feedKey) }
  }

  func update(_ offers: [(key: Int64, offer: ExportedOffer, isOther: Bool)]) throws {
    for (key, offer, isOther) in offers {
      try self.offers.update(key, to: offer, isOther: isOther)
    }
  }

  // The history.

  func fetchRunMarks() throws -> [RunMark: Int64] { try history.fetchMarks() }

  func add(_ run: ExportedRun, number: Int, known: Int64?, feedKey: Int64) throws {
    try history.add(run, number: number, known: known, feedKey: feedKey)
  }

  func note(seenEarlier offers: [(key: Int64, firstSeenHereAt: Int64)]) throws {
    for (key, seconds) in offers { try history.note(offerKey: key, firstSeenHereAt: seconds) }
  }

  func findChanged(_ wanted: [ImportedRef]) throws -> [ChangedOffer?] {
    try wanted.map { wanted in
      try offers.findKey(wanted.ref, feedKey: wanted.feedKey).map {
        ChangedOffer(key: $0, firstSeenHereAt: try history.findFirstSightHere($0))
      }
    }
  }

  func add(_ changes: [(change: ExportedChange, offerKey: Int64)]) throws {
    for (change, key) in changes { try history.add(change, offerKey: key) }
  }

  func mergeHistory(renumbers: Bool) throws { try history.merge(renumbers: renumbers) }

  func findLastChange(through run: Int) throws -> Int64 {
    try history.findLastChange(through: run)
  }

  // Favorites.

  func insert(_ favorites: [(favorite: ExportedFavorite, user: User.ID)]) throws -> [Bool] {
    try favorites.map { favorite, user in
      let isNew = try FavoriteQuery.insert(
        favorite.ref, of: user, at: favorite.starredAt, sharedAt: favorite.sharedAt,
        in: database)
      if !isNew {
        try FavoriteQuery.setEarlier(
          favorite.starredAt, of: favorite.ref, user: user, in: database)
      }
      return isNew
    }
  }

  func finish(newOffers: Int, updatedOffers: Int) throws {
    try history.finish()
    try FeedMiscount.correct(in: database)
    if newOffers + updatedOffers > 0 { try offers.finishIndex(hasNew: newOffers > 0) }
  }
}
