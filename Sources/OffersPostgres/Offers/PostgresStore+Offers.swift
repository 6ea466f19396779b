import Foundation
import OffersCore
import OffersStore

extension PostgresStore: OfferRepository {
  package func fetchOffers(_ query: OfferQuery) async throws -> [UserOffer] {
    try await database.read { [user] connection in
      try SelectedOffers(query, of: user, in: connection).read(
        offset: max(0, query.offset), limit: query.limit.map { max(0, $0) }, in: connection)
    }
  }

  package func fetchOfferPage(
    _ query: OfferQuery, maximumBytes: Int
  ) async throws -> OfferPage {
    try await database.read { [user] connection in
      try Self.page(
        query, maximumBytes, SelectedOffers(query, of: user, in: connection), in: connection)
    }
  }

  package func countOffers(_ query: OfferQuery) async throws -> Int {
    try await database.read { [user] connection in
      try SelectedOffers(query, of: user, in: connection).count(in: connection)
    }
  }

  /// The number of offers that are read at once while a page is filled.
  private static let pieceCount = 200

  private static func page(
    _ query: OfferQuery, _ maximumBytes: Int, _ selection: SelectedOffers,
    in connection: Connection
  ) throws -> OfferPage {
    let limit = max(0, query.limit ?? .max)
    var page: [UserOffer] = []
    var bytes = 0
    while true {
      let offset = max(0, query.offset) + page.count
      let piece = try selection.read(
        offset: offset, limit: min(limit - page.count, pieceCount) + 1, in: connection)
      for (index, offer) in piece.enumerated() {
        if page.count == limit { return OfferPage(offers: page, hasMore: true) }
        bytes += offer.textBytes
        if bytes > maximumBytes, !page.isEmpty { return OfferPage(offers: page, hasMore: true) }
        // The last one of a full piece only tells that there are more.
        if index == pieceCount { break }
        page.append(offer)
      }
      if piece.count <= pieceCount { return OfferPage(offers: page, hasMore: false) }
      bytes -= piece[pieceCount].textBytes
    }
  }
}

extension PostgresStore: LabelRepository {
  private static let labelLimit = 1000

  package func fetchRetailers(of feed: String?) async throws -> [String] {
    try await labels(
      of: feed,
      """
      SELECT offer.retailer FROM \(OfferColumns.tables)
      WHERE offer.retailer IS NOT NULL AND ($1::text IS NULL OR feed.name = $1)
      GROUP BY offer.retailer ORDER BY count(*) DESC, offer.retailer LIMIT \(Self.labelLimit)
      """)
  }

  package func fetchCategories(of feed: String?) async throws -> [String] {
    try await labels(
      of: feed,
      """
      SELECT category.name FROM \(OfferColumns.tables),
        json_array_elements_text(offer.categories::json) AS category (name)
      WHERE offer.categories IS NOT NULL AND ($1::text IS NULL OR feed.name = $1)
      GROUP BY category.name
      ORDER BY count(*) DESC, category.name COLLATE "C" LIMIT \(Self.labelLimit)
      """)
  }

  private func labels(of feed: String?, _ sql: String) async throws -> [String] {
    if feed?.utf8.contains(0) == true { return [] }
    return try await database.readOnce { connection in
      try connection.rows(sql, [.text(feed)]).map { $0.text(0) }
    }
  }
}
