import GRDB
import OffersCore

/// Keeps foreign triggers from removing favorites during a write: the transaction is rolled back.
///
/// It reads all favorites before and after the write, and only if the database has foreign triggers.
struct FavoriteGuard {
  private let triggers: [String]
  private let before: Set<[String]>

  /// Reads the favorites before a write, within its transaction.
  ///
  /// - Parameters:
  ///   - database: the connection, within the transaction of the write.
  ///   - triggers: the names of the foreign triggers.
  /// - Returns: nil without foreign triggers.
  init?(_ database: Database, against triggers: [String]) throws {
    if triggers.isEmpty { return nil }
    self.triggers = triggers
    before = try Self.favorites(in: database)
  }

  /// Checks the favorites after the write.
  ///
  /// - Parameters:
  ///   - added: favorites that the write has set.
  ///   - removed: favorites that the write may have removed.
  ///   - database: the connection, still within the transaction.
  /// - Throws: `OffersError` with `storageFailed` if another favorite is missing.
  func check(
    adding added: [OfferRef] = [], removing removed: [OfferRef] = [], in database: Database
  )
    throws
  {
    let expected = before.union(added.map(Self.key)).subtracting(removed.map(Self.key))
    let lost = expected.subtracting(try Self.favorites(in: database))
    guard let first = lost.min(by: { $0.lexicographicallyPrecedes($1) }) else { return }
    throw OffersError(
      .storageFailed,
      "A trigger of the database (\(triggers.joined(separator: ", "))) would have removed "
        + "\(lost.count == 1 ? "a favorite" : "\(lost.count) favorites"), such as "
        + "\(first.joined(separator: ":")). Nothing was changed.",
      hint: "This program did not create the trigger. Remove it, or do not use this database.")
  }

  private static func key(_ ref: OfferRef) -> [String] { [ref.feed, ref.offerID] }

  private static func favorites(in database: Database) throws -> Set<[String]> {
    Set(
      try Row.fetchAll(database, sql: "SELECT feed, id FROM favorite ORDER BY feed, id").map {
        [$0["feed"], $0["id"]]
      })
  }
}
