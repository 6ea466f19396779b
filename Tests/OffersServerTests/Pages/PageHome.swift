import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersServer

/// An answer as tests look at it.
struct Shown: Sendable {
  let status: Int
  let headers: HTTPFields
  let text: String
}

extension ServedHome {
  /// Loads a page.
  func show(_ path: String, headers: HTTPFields = [:]) async throws -> Shown {
    try await ask { client in
      try await client.execute(uri: path, method: .get, headers: headers) { response in
        Shown(
          status: Int(response.status.code), headers: response.headers,
          text: String(buffer: response.body))
      }
    }
  }

  /// Sends a form as the browser of a person does who is on one of our pages.
  func send(
    _ path: String, _ form: String, origin: String? = "http://localhost"
  ) async throws -> Shown {
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.origin] = origin
    let sent = headers
    return try await ask { client in
      try await client.execute(
        uri: path, method: .post, headers: sent, body: ByteBuffer(string: form)
      ) { response in
        Shown(
          status: Int(response.status.code), headers: response.headers,
          text: String(buffer: response.body))
      }
    }
  }

  /// Syncs a feed from a document.
  func sync(_ feed: String, _ json: String) async throws {
    let file = try folder.write(json, to: "feed.json")
    let run = try await SyncEngine(store: database).sync(
      feed, options: SyncOptions(source: file, acceptsRemovals: true))
    #expect(run.error == nil)
  }
}

extension String {
  /// How often a text stands in this one.
  func count(of text: String) -> Int { components(separatedBy: text).count - 1 }

  /// What stands between two texts, the first time.
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
