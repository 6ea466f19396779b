import Foundation
import Hummingbird
import OffersCore
import Testing

/// A response of the API.
struct APIAnswer: Sendable {
  let status: Int
  let headers: HTTPFields
  let text: String

  /// The body as a JSON object.
  var object: [String: Any] {
    get throws {
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      return try #require(value as? [String: Any])
    }
  }

  /// A member that is an array of objects.
  func objects(_ name: String) throws -> [[String: Any]] {
    try #require(try object[name] as? [[String: Any]])
  }

  var detail: String { (try? object["detail"] as? String) ?? "" }
}

extension TestClient {
  /// Sends a GET request to the API.
  func get(_ path: String, headers: HTTPFields = [:]) async throws -> APIAnswer {
    try await send(.get, path, headers: headers)
  }

  /// Sends a request to the API that changes something.
  func write(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
    headers: HTTPFields = [.contentType: "application/json"]
  ) async throws -> APIAnswer {
    try await send(method, path, headers: headers, body: body)
  }

  func send(
    _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: String? = nil,
    late: (@Sendable () async -> Void)? = nil
  ) async throws -> APIAnswer {
    try await execute(
      uri: path.hasPrefix("/") ? path : "/api/v1/\(path)", method: method, headers: headers,
      body: body.map { ByteBuffer(string: $0) }, late: late
    ) { response in
      APIAnswer(
        status: response.status.code, headers: response.headers,
        text: String(buffer: response.body))
    }
  }
}
