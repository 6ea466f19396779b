import Foundation
import OffersCore
import OffersStore

/// The SQL that searches offers.
struct PostgresIndexReader: SearchedIndex {
  let connection: Connection
  private let conditions: SearchConditions
  /// The time at which expired offers come last; nil if they do not.
  private let expiryTime: Date?

  /// - Parameters:
  ///   - query: the search.
  ///   - conditions: those of its selection, whose first parameter is the user.
  ///   - connection: runs the statements, and must be in a transaction.
  init(_ query: SearchQuery, _ conditions: SearchConditions, in connection: Connection) {
    self.connection = connection
    self.conditions = conditions
    expiryTime = query.selection.sortsExpiredLast ? query.now ?? Date() : nil
  }

  /// The number of offers that are read at once, each of which may have megabytes of text.
  private static let fetchedCount = 8

  func forEachOffer(
    with words: SearchWords, limit: Int, offset: Int, _ body: (UserOffer) throws -> Void
  ) throws {
    var bindings = conditions.bindings
    let order =
      expiryTime.map { "coalesce(offer.expires_at <= \(bindings.add(.date($0))), false), " } ?? ""
    let sql = """
      SELECT \(OfferColumns.columns) FROM \(OfferColumns.source)
      WHERE \(condition(words, &bindings))
      ORDER BY \(order)\(rank(words, &bindings))offer.offer_key
      LIMIT \(bindings.add(.count(limit))) OFFSET \(bindings.add(.count(offset)))
      """
    try PostgresTransaction(connection).forEach(
      sql, bindings.values, fetchedCount: Self.fetchedCount
    ) { row in
      try connection.checkCancellation()
      try body(OfferColumns.offer(row))
    }
  }

  func finds(_ words: SearchWords) throws -> Bool {
    var bindings = conditions.bindings
    let sql = """
      SELECT 1 FROM \(OfferColumns.source) WHERE \(condition(words, &bindings)) LIMIT 1
      """
    return try PostgresTransaction(connection).exists(sql, bindings.values)
  }

  private func condition(_ words: SearchWords, _ bindings: inout Bindings) -> String {
    var parts = conditions.parts
    if !words.query.isEmpty {
      parts.insert("offer.search @@ \(bindings.add(.text(words.query)))::tsquery", at: 0)
    }
    return parts.isEmpty ? "true" : parts.joined(separator: " AND ")
  }

  /// The order by the sum of the ranks of the parts, followed by a comma; see `SearchRank`. Empty without parts.
  private func rank(_ words: SearchWords, _ bindings: inout Bindings) -> String {
    let ranks = words.parts.map { part in
      let weights = zip(SearchVector.letters, SearchRank.weights)
      var cases = weights.map {
        (part.query(weight: $0, isWhole: true), $1 * SearchRank.wholeFactor)
      }
      if part.phrases.contains(where: \.isOpen) {
        cases += weights.map { (part.query(weight: $0), $1) }
      }
      let sorted = cases.sorted { $0.1 > $1.1 }.map { query, rank in
        "WHEN offer.search @@ \(bindings.add(.text(query)))::tsquery THEN \(rank)"
      }
      return "CASE \(sorted.joined(separator: " ")) ELSE 0 END"
    }
    return ranks.isEmpty ? "" : "(\(ranks.joined(separator: " + "))) DESC, "
  }
}

extension PostgresIndexReader {
  /// The number of nearest words of which the number of offers is counted.
  private static let countedLimit = 40

  func candidates(for words: [MisspelledWord]) throws -> [[SpellingCandidate]] {
    try words.map { try candidates(for: $0) }
  }

  /// The best candidates for a word, except for the word itself.
  private func candidates(
    for word: MisspelledWord
  ) throws -> [SpellingCandidate] {
    let length = word.text.unicodeScalars.count
    let others = try self.words(length - word.limit...length + word.limit)
    let distance = word.distance
    let near = others.compactMap { word.candidate($0, at: distance) }
    var best = Array(near.sorted { $0.isBetter(than: $1) }.prefix(Self.countedLimit))
    let counts = try self.counts(of: best.map(\.word))
    for (index, count) in counts.enumerated() { best[index].offerCount = count }
    return Array(
      best.filter { $0.offerCount > 0 }.sorted { $0.isBetter(than: $1) }
        .prefix(SpellingCandidate.limit))
  }

  /// All words of offers whose length, in Unicode scalars, is in a range.
  private func words(_ lengths: ClosedRange<Int>) throws -> [String] {
    try connection.rows(
      "SELECT word FROM search_word WHERE char_length(word) BETWEEN $1 AND $2",
      [.number(Int64(lengths.lowerBound)), .number(Int64(lengths.upperBound))]
    ).map { $0.text(0) }
  }

  /// The numbers of offers that have words, in their order.
  private func counts(of words: [String]) throws -> [Int64] {
    try connection.rows(
      """
      SELECT (SELECT count(*) FROM offer WHERE offer.search @@ wanted.query::tsquery)
      FROM unnest($1) WITH ORDINALITY AS wanted (query, place) ORDER BY wanted.place
      """, [.texts(words.map { "'\($0)'" })]
    ).map { $0.number(0) }
  }
}
