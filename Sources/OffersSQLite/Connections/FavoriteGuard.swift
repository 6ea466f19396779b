import GRDB
import OffersCore

/// Keeps foreign parts of the schema, such as triggers, from removing favorites during a write: the
/// transaction is rolled back.
///
/// It reads all favorites before and after the write, and only if the schema has foreign parts (see
/// `ForeignSchema`).
struct FavoriteGuard {
  private let foreign: [String]
  private let before: Set<[String]>

  /// Reads the favorites before a write, within its transaction.
  ///
  /// - Parameters:
  ///   - database: the connection, within the transaction of the write.
  ///   - foreign: the foreign parts of the schema.
  /// - Returns: nil without foreign parts.
  init?(_ database: Database, against foreign: [String]) throws {
    if foreign.isEmpty { return nil }
    self.foreign = foreign
    before = try Self.favorites(in: database)
  }

  /// Checks the favorites after the write.
  ///
  /// - Parameters:
  ///   - added: favorites that the write has set.
  ///   - removed: favorites that the write may have removed.
  ///   - user: the user whose favorites these are.
  ///   - database: the connection, still within the transaction.
  /// - Throws: `OffersError` with `storageFailed` if another favorite is missing.
  func check(
    adding added: [OfferRef] = [], removing removed: [OfferRef] = [],
    of user: User.ID = User.ownerID, in database: Database
  ) throws {
    func key(_ ref: OfferRef) -> [String] { [String(user), ref.feed, ref.offerID] }
    let expected = before.union(added.map(key)).subtracting(removed.map(key))
    let lost = expected.subtracting(try Self.favorites(in: database))
    guard let first = lost.min(by: { $0.lexicographicallyPrecedes($1) }) else { return }
    throw OffersError(
      .storageFailed,
      "A part of the database that this program did not create (\(foreign.joined(separator: ", "))) "
        + "would have removed \(lost.count == 1 ? "a favorite" : "\(lost.count) favorites"), such as "
        + "\(first.dropFirst().joined(separator: ":")). Nothing was changed.",
      hint: "Remove it, or do not use this database.")
  }

  /// The favorites of all users: user, feed and id. Before users were introduced, all favorites
  /// were the owner's.
  private static func favorites(in database: Database) throws -> Set<[String]> {
    Set(
      try Row.fetchAll(database, sql: "SELECT * FROM favorite").map { row in
        let user = row.hasColumn("user_key") ? row["user_key"] as Int64? : nil
        return [String(user ?? User.ownerID), row["feed"], row["id"]]
      })
  }
}
