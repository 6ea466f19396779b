import HTTPTypes
import Hummingbird
import Logging
import OffersCore

/// The log of who did what: a line for each request that changed logins, users, rights or feeds, or that
/// started a sync, with the user, the client's address and the number of the request. If the server has
/// an access log, each request has a second line with its path.
///
/// What a user stars, shares, reads and searches is their own, and is told by the access log only. No
/// line has a query, a cookie, a token, a code or a passphrase.
struct RequestLog: Sendable {
  let logger: Logger
  /// Whether each request has a line.
  let tellsAll: Bool
  let access: VisitorAuthentication

  /// The field of each response with the number of its request.
  private static let number = HTTPField.Name("X-Request-Id")

  /// The longest path that is logged, in characters.
  private static let pathLimit = 500

  /// Logs a request that was answered, and numbers its response.
  func note(
    _ request: Request, _ response: inout Response, _ record: RequestRecord,
    since begun: ContinuousClock.Instant
  ) async {
    if let number = Self.number { response.headers[number] = record.id }
    await noteChange(by: request, response, record)
    guard tellsAll else { return }
    var values = metadata(of: record.values, record.id)
    values["method"] = "\(request.method.rawValue)"
    values["path"] =
      "\(FeedAddress.hidingSecret(in: request.uri.path).prefix(Self.pathLimit))"
    values["status"] = "\(response.status.code)"
    values["bytes"] = response.body.contentLength.map { "\($0)" }
    values["ms"] = "\((ContinuousClock.now - begun) / .milliseconds(1) as Double)"
    logger.notice("request", metadata: values)
  }

  private func noteChange(
    by request: Request, _ response: Response, _ record: RequestRecord
  ) async {
    var values = record.values
    guard let action = values.action ?? Self.action(request.method, values.route) else { return }
    let isDone = response.status.code < 400
    if values.user == nil, isDone {
      // The paths of logins are open to strangers.
      values.user = await findUser(of: request, response)
    }
    guard let user = values.user else { return }
    values.user = user
    var metadata = metadata(of: values, record.id)
    for (name, value) in values.details { metadata[name] = "\(value)" }
    if isDone {
      logger.notice("\(action)", metadata: metadata)
    } else if response.status == .forbidden {
      metadata["action"] = "\(action)"
      logger.warning("not allowed", metadata: metadata)
    }
  }

  private func metadata(of values: RequestRecord.Values, _ id: String) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["request": "\(id)"]
    metadata["client"] = values.client.map { "\($0.text)" }
    metadata["user"] = values.user.map { "\($0)" }
    return metadata
  }

  /// The user whom a login has let in, by the session whose cookie the response sets. Logins end in the
  /// same way however they begin.
  private func findUser(of request: Request, _ response: Response) async -> String? {
    do {
      for field in response.headers[values: .setCookie] {
        guard let value = access.cookie.value(in: field) else { continue }
        return try await access.findUser(showing: value)?.name
      }
      return nil
    } catch {
      logger.error("the user of a login could not be read", metadata: ["error": "\(error)"])
      return nil
    }
  }

  /// What a request does, if it changes something that concerns others than its user. A route that is
  /// not named here is told by its path, so that a new one is not forgotten.
  ///
  /// - Parameter route: the path template of the matched route; nil for an unknown path.
  static func action(_ method: HTTPRequest.Method, _ route: String?) -> String? {
    guard let route else { return nil }
    if let action = actions["\(method.rawValue) \(route)"] { return action }
    if method == .get || method == .head || ownRoutes.contains(route) { return nil }
    return "\(method.rawValue) \(route)"
  }

  private static let actions = [
    "POST /login": "logged in",
    "POST /pair": "logged in",
    "GET \(OpenIDProvider.callbackPath)": "logged in",
    "POST /logout": "logged out",
    "POST /sessions/{id}/end": "session ended",
    "POST /sessions/end-others": "other sessions ended",
    "POST /passphrase": "passphrase set",
    "POST /pairing": "pairing code made",
    "POST /identity/remove": "identity removed",
    "POST /tokens": "token added",
    "POST /tokens/{id}/revoke": "token revoked",
    "POST /users": "user added",
    "POST /users/{id}": "user changed",
    "POST /users/{id}/log-out": "user logged out",
    "POST /api/v1/feeds": "feed added",
    "POST /feeds/{name}": "feed changed",
    "PUT /api/v1/feeds/{name}/subscription": "feed subscribed",
    "DELETE /api/v1/feeds/{name}/subscription": "feed unsubscribed",
    "PUT /api/v1/feeds/{name}/interval": "interval set",
    "DELETE /api/v1/feeds/{name}/interval": "interval reset",
    "POST /api/v1/sync": "sync started",
    "POST /sync": "sync started",
  ]

  /// The routes by which users change what is their own, and those that change nothing yet.
  private static let ownRoutes: Set<String> = [
    "/api/v1/offers/{ref}/favorite", "/offers/{ref}/favorite", "/api/v1/offers/{ref}/share",
    "/offers/{ref}/share", "/api/v1/news/seen", "/api/v1/searches", "/searches/forget",
    "/api/v1/framing", "/api/v1/proposals", "/settings/add-feed", "/login/oidc", "/identity",
    "/api/v1/hidings", "/hidings", "/watches", "/watches/{id}/pause", "/watches/{id}/remove",
    "/api/v1/notices/seen", "/api/v1/push", "/api/v1/push/test",
  ]
}
