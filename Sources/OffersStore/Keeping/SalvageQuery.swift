import GRDB
import OffersCore

/// Reads what can still be read of a damaged database as records of an export.
///
/// A table is read from its beginning to the damage, and then from its end back to it: one damaged
/// page costs the rows on it. What refers to a lost offer is left out with it, favorites aside.
final class SalvageQuery {
  private let database: Database
  private let query: ExportQuery
  private let favoritesOnly: Bool
  /// The offers that were read, by key.
  private var refs: [Int64: OfferRef] = [:]
  /// What whoever takes the records threw: that is no damage.
  private var refusal: (any Error)?

  init(_ database: Database, favoritesOnly: Bool) {
    self.database = database
    self.favoritesOnly = favoritesOnly
    query = ExportQuery(database, favoritesOnly: favoritesOnly)
  }

  /// Hands over every record that can be read.
  ///
  /// - Returns: the sections that lack some.
  func forEachRecord(
    _ body: (ExportRecord) throws -> Void
  ) throws -> [ExportRecord.Section] {
    func take(_ record: ExportRecord) throws {
      do {
        try body(record)
      } catch {
        refusal = error
        throw error
      }
    }
    return try ExportRecord.Section.allCases.filter { section in
      switch section {
      case .feeds, .runs, .favorites:
        return try isCut { try query.forEachRecord(of: section, take) }
      case .offers:
        var last = Int64.min
        if try !isCut({ try forEachOffer("ASC", after: .min, { last = $0 }, take) }) {
          return false
        }
        _ = try isCut { try forEachOffer("DESC", after: last, { _ in }, take) }
        return true
      case .changes:
        return try isCut { try forEachChange(take) }
      }
    }
  }

  /// Whether reading met damage.
  private func isCut(_ read: () throws -> Void) throws -> Bool {
    do {
      try read()
      return false
    } catch {
      if let refusal { throw refusal }
      return true
    }
  }

  private func forEachOffer(
    _ direction: String, after key: Int64, _ noted: (Int64) -> Void,
    _ body: (ExportRecord) throws -> Void
  ) throws {
    let favorites = "offer.offer_key IN (\(ExportQuery.favoriteKeys))"
    let rows = try RawStatement(
      database,
      """
      SELECT offer.offer_key, feed.name, \(ExportedOffer.columns)
      FROM offer CROSS JOIN feed USING (feed_key)
      LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key
      WHERE offer.offer_key > ? \(favoritesOnly ? "AND \(favorites)" : "")
      ORDER BY offer.offer_key \(direction)
      """)
    defer { rows.reset() }
    rows.bind(1, key)
    while try rows.step() {
      let offer = ExportedOffer(rows, feed: rows.string(1) ?? "", from: 2)
      refs[rows.number(0)] = offer.ref
      noted(rows.number(0))
      try body(.offer(offer))
    }
  }

  private func forEachChange(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database, "SELECT offer_key, run_id, kind, fields FROM change ORDER BY change_id")
    defer { rows.reset() }
    while try rows.step() {
      guard let ref = refs[rows.number(0)],
        let change = query.change(
          of: ref, run: rows.number(1), kind: rows.string(2), fields: rows.string(3))
      else { continue }
      try body(.change(change))
    }
  }
}
