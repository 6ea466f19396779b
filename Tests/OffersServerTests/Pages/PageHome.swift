import Foundation
import HTTPTypes
import Hummingbird
import OffersCore
import OffersHTTP
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersServer

extension ServedHome {
  /// Loads a page of a server of its own.
  func show(
    _ path: String, headers: HTTPFields = [:], on server: OffersServer? = nil
  ) async throws -> APIAnswer {
    try await client(server).get(path, headers: headers)
  }

  /// Sends a form to a server of its own, as a browser does from a page of this server.
  func send(
    _ path: String, _ form: String, origin: String? = "http://localhost"
  ) async throws -> APIAnswer {
    try await client().form(path, form, origin: origin)
  }

  /// Imports offers of one feed, whose ids count from 1, with these ends.
  func take(endingAt ends: [Date?], of name: String = "ibotta") async throws {
    struct Document: ExportRecordSource {
      let records: [ExportRecord]
      func forEachRecord(_ body: (ExportRecord) throws -> Void) throws { try records.forEach(body) }
    }
    var feed = ExportedFeed()
    feed.name = name
    feed.source = "sample"
    let offers = ends.enumerated().map { index, end in
      var offer = ExportedOffer()
      offer.ref = OfferRef(feed: feed.name, offerID: "\(index + 1)")
      offer.name = "Tea \(index + 1)"
      offer.expiresAt = end.map { Int64($0.timeIntervalSince1970) }
      return ExportRecord.offer(offer)
    }
    _ = try await database.importRecords(
      from: Document(records: [.feed(feed)] + offers), feeds: [feed.name])
  }

  /// Syncs a feed from a JSON document.
  func sync(_ feed: String, _ json: String) async throws {
    let file = try folder.write(json, to: "feed.json")
    _ = try await SyncEngine(store: database).sync(
      feed, options: SyncOptions(source: .file(file), acceptsRemovals: true))
  }
}

extension String {
  /// The number of occurrences of a text.
  func count(of text: String) -> Int { components(separatedBy: text).count - 1 }

  /// The text between the first occurrences of two texts.
  func between(_ start: String, _ end: String) -> String? {
    guard let from = range(of: start)?.upperBound,
      let to = range(of: end, range: from..<endIndex)?.lowerBound
    else { return nil }
    return String(self[from..<to])
  }
}

enum HTTPFieldName {
  static let site = HTTPField.Name("Sec-Fetch-Site")
}
