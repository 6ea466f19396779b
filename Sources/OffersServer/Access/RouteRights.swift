import Hummingbird
import OffersCore

/// Middleware that checks that a visitor has the right which the matched route requires. It applies to all
/// routes that are added after it, and to unknown paths.
///
/// The right depends on the route that the router has found, not on the text of the path: the router
/// takes several texts for the same route, such as one with a slash at its end.
///
/// A route that is not named here requires `read` for GET, and `admin` for all else: a new route is
/// closed until it is named. Whoever is not logged in is admitted to open paths only (`LoginRoutes`).
struct RouteRights: RouterMiddleware {
  /// The refusal of a visitor without the right. `ServedResponder` answers it as any other refusal, with a page
  /// for a browser. A `Problem` would not get there: the router answers it itself.
  struct Refusal: Error {
    let problem: Problem
  }

  func handle(
    _ request: Request, context: ServedContext,
    next: (Request, ServedContext) async throws -> Response
  ) async throws -> Response {
    context.record.isFor(context.endpointPath)
    context.record.note(
      "feed", context.parameters.get("name").flatMap { PercentCode.decode($0[...]) })
    do {
      try context.visitor?.check(Self.required(request.method, context.endpointPath))
    } catch let problem as Problem {
      throw Refusal(problem: problem)
    }
    return try await next(request, context)
  }

  /// The right that a request requires. For a route that is not listed that is to read or, for other methods
  /// than GET and HEAD, to be an admin.
  ///
  /// - Parameter route: the path of the matched route, such as `/offers/{ref}/favorite`; nil for an unknown path.
  static func required(_ method: HTTPRequest.Method, _ route: String?) -> Right {
    if method == .get || method == .head {
      return route.flatMap { readRights[$0] } ?? .read
    }
    return route.flatMap { writeRights[$0] } ?? .admin
  }

  private static let readRights: [String: Right] = [
    "/settings/add-feed": .sync,
    "/users": .admin,
  ]

  /// The rights of other methods than GET.
  private static let writeRights: [String: Right] = [
    // Their own data.
    "/api/v1/offers/{ref}/favorite": .favorites,
    "/offers/{ref}/favorite": .favorites,
    "/api/v1/offers/{ref}/share": .favorites,
    "/offers/{ref}/share": .favorites,
    "/api/v1/hidings": .favorites,
    "/hidings": .favorites,
    "/api/v1/framing": .favorites,
    "/api/v1/push": .favorites,
    "/api/v1/push/test": .favorites,
    "/api/v1/news/seen": .favorites,
    "/api/v1/notices/seen": .favorites,
    "/watches": .favorites,
    "/watches/{id}/pause": .favorites,
    "/watches/{id}/remove": .favorites,
    "/api/v1/searches": .favorites,
    "/searches/forget": .favorites,
    // The own logins. They require a session, too, which an API token is not.
    "/pairing": .favorites,
    "/sessions/{id}/end": .favorites,
    "/sessions/end-others": .favorites,
    "/passphrase": .favorites,
    "/identity": .favorites,
    "/identity/remove": .favorites,
    "/tokens": .favorites,
    "/tokens/{id}/revoke": .favorites,
    // The feeds of all.
    "/api/v1/sync": .sync,
    "/sync": .sync,
    "/api/v1/feeds": .sync,
    "/api/v1/feeds/{name}/subscription": .sync,
    "/feeds/{name}": .sync,
    "/api/v1/proposals": .sync,
    "/settings/add-feed": .sync,
  ]
}
