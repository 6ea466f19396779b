import Foundation
import OffersCore

/// The SQL that searches offers.
struct SearchTable {
  private var bindings: Bindings
  private var conditions: [String] = []
  /// The terms that sort before the rank, each followed by a comma.
  private let order: String

  init(_ query: SearchQuery, of user: User.ID) {
    bindings = Bindings([.number(user)])
    let now = bindings.add(.date(query.now ?? Date()))
    let isExpired = "coalesce(offer.expires_at <= \(now), false)"
    if query.favoritesOnly {
      conditions.append(OfferColumns.isFavorite)
    } else {
      conditions.append("offer.gone_at IS NULL")
      if !query.includesExpired { conditions.append("NOT \(isExpired)") }
    }
    order = "\(isExpired), "
    if let feed = query.feed { conditions.append("feed.name = \(bindings.add(.text(feed)))") }
  }

  /// The offers with all words, the best first, expired ones last.
  func find(
    _ words: SearchWords, limit: Int, offset: Int, in session: DatabaseSession
  ) throws -> [UserOffer] {
    var bindings = bindings
    let sql = """
      SELECT \(OfferColumns.selection) FROM \(OfferColumns.tables)
      WHERE \(condition(words, &bindings))
      ORDER BY \(order) \(rank(words, &bindings)) DESC, offer.offer_key
      LIMIT \(bindings.add(.number(Int64(limit)))) OFFSET \(bindings.add(.number(Int64(offset))))
      """
    return try session.rows(sql, bindings.parameters).map { OfferColumns.offer($0) }
  }

  /// Whether any offer has all words.
  func finds(_ words: SearchWords, in session: DatabaseSession) throws -> Bool {
    var bindings = bindings
    let sql = """
      SELECT \(order) 1 FROM \(OfferColumns.tables) WHERE \(condition(words, &bindings)) LIMIT 1
      """
    return try session.rows(sql, bindings.parameters).count > 0
  }

  private func condition(_ words: SearchWords, _ bindings: inout Bindings) -> String {
    (["offer.search @@ \(bindings.add(.text(words.query)))::tsquery"] + conditions)
      .joined(separator: " AND ")
  }

  /// The ranks of a part by the weight of the field that has it. A word that only begins with the
  /// searched one counts half.
  private static let weights = [("A", 20), ("B", 10), ("C", 6), ("D", 3)]

  /// The sum of the ranks of the parts.
  private func rank(_ words: SearchWords, _ bindings: inout Bindings) -> String {
    let ranks = words.parts.map { part in
      var cases = Self.weights.map { (part.query(weight: $0, isWhole: true), $1 * 2) }
      if part.isOpen { cases += Self.weights.map { (part.query(weight: $0), $1) } }
      let sorted = cases.sorted { $0.1 > $1.1 }.map { query, rank in
        "WHEN offer.search @@ \(bindings.add(.text(query)))::tsquery THEN \(rank)"
      }
      return "CASE \(sorted.joined(separator: " ")) ELSE 0 END"
    }
    return "(\(ranks.joined(separator: " + ")))"
  }

  /// All words of offers that may be near to one of `length` Unicode scalars.
  static func words(
    longerThan minimum: Int, shorterThan maximum: Int?, in session: DatabaseSession
  ) throws -> [String] {
    try session.rows(
      """
      SELECT word FROM search_word
      WHERE char_length(word) > $1 AND ($2::bigint IS NULL OR char_length(word) < $2)
      """, [.number(Int64(minimum)), .number(maximum.map(Int64.init))]
    ).map { $0.text(0) }
  }

  /// The numbers of offers that have words, in their order.
  static func counts(of words: [String], in session: DatabaseSession) throws -> [Int64] {
    try session.rows(
      """
      SELECT (SELECT count(*) FROM offer WHERE offer.search @@ wanted.query::tsquery)
      FROM unnest($1) WITH ORDINALITY AS wanted (query, place) ORDER BY wanted.place
      """, [.texts(words.map { "'\($0)'" })]
    ).map { $0.number(0) }
  }
}
