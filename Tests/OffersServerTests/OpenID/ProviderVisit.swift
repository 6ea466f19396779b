import HTTPTypes
import OffersCore
import Testing

@testable import OffersServer

/// A browser's way to the provider and back.
struct ProviderVisit {
  let provider: ScriptedProvider
  let client: TestClient
  /// The query with which the browser comes to the provider.
  let fields: [String: String]
  /// The `Cookie` field that the browser has got, after the one that it had.
  let cookie: String

  /// Begins a login.
  ///
  /// - Parameters:
  ///   - path: the target of the form.
  ///   - body: the content of the form.
  ///   - cookie: the `Cookie` field of the browser; nil for none.
  init(
    _ client: TestClient, _ provider: ScriptedProvider, path: String = "/login/oidc",
    _ body: String = "next=/favorites", cookie: String? = nil
  ) async throws {
    let answer = try await client.by(cookie).form(path, body)
    #expect(answer.status == 200)
    let refresh = try #require(HTTPField.Name("Refresh"))
    let target = try #require(answer.headers[refresh])
    let start = "0; url=\(ScriptedProvider.issuer)/authorize?tenant=7&"
    #expect(target.hasPrefix(start))
    let set = try #require(
      answer.headers[values: .setCookie].first { $0.hasPrefix("offers-openid=") })
    #expect(set.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600"))
    self.provider = provider
    self.client = client
    fields = URLEncodedForm.parse(String(target.dropFirst(start.count)))
    let own = String(set.prefix { $0 != ";" })
    self.cookie = cookie.map { "\($0); \(own)" } ?? own
  }

  /// Logs in at the provider, and comes back with its code.
  func finish(as subject: String) async throws -> APIAnswer {
    try await finish(code: provider.authorize(subject, fields))
  }

  /// Comes back.
  ///
  /// - Parameters:
  ///   - state: the state to come back with; nil for that of the login.
  ///   - cookie: the `Cookie` field to come back with; nil for that of the login.
  ///   - more: further fields of the query.
  func finish(
    code: String, state: String? = nil, cookie: String? = nil, more: String = ""
  ) async throws -> APIAnswer {
    try await client.send(
      .get,
      "\(OpenIDProvider.callbackPath)?code=\(code)&state=\(state ?? fields["state"] ?? "")\(more)",
      headers: [.cookie: cookie ?? self.cookie, .accept: "text/html"])
  }
}

extension APIAnswer {
  /// The `Cookie` field of the session that the answer begins; nil if it begins none.
  var session: String? {
    headers[values: .setCookie].first { $0.hasPrefix("offers-session=") }
      .map { String($0.prefix { $0 != ";" }) }
  }

  /// Whether the answer ends the login at the provider.
  var endsVisit: Bool {
    headers[values: .setCookie].contains { $0.hasPrefix("offers-openid=;") }
  }
}
