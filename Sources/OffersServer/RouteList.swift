import HTTPTypes
import Hummingbird
import OffersCore

/// The routes of a router, to tell which methods a path accepts.
struct RouteList: Sendable {
  private struct Route {
    let segments: [String]
    let method: HTTPRequest.Method

    func matches(_ path: [Substring]) -> Bool {
      for (index, segment) in segments.enumerated() {
        if segment == "**" { return path.count > index }
        guard index < path.count else { return false }
        if !segment.hasPrefix("{"), !segment.hasPrefix(":"), segment != "*",
          segment != path[index]
        {
          return false
        }
      }
      return segments.count == path.count
    }
  }

  private let routes: [Route]

  init(_ router: Router<ServedContext>) {
    routes = router.routes.map {
      Route(
        segments: $0.path.description.split(scalar: "/").map(String.init), method: $0.method)
    }
  }

  /// Each route as its method and its path template, such as `GET /api/v1/offers/{ref}`, sorted.
  var names: [String] {
    routes.map { "\($0.method.rawValue) /" + $0.segments.joined(separator: "/") }.sorted()
  }

  /// Whether there is a route for a path, with any method.
  func contains(_ path: Substring) -> Bool {
    let segments = path.split(scalar: "/")
    return routes.contains { $0.matches(segments) }
  }

  /// Checks that the path of a request accepts its method. An unknown path passes, since the router
  /// answers it with 404.
  ///
  /// - Throws: `Problem` with status 405 and an `Allow` field that lists the methods of the path.
  func check(_ request: Request) throws {
    let path = request.uri.path.split(scalar: "/")
    var methods = routes.filter { $0.matches(path) }.map(\.method)
    if methods.isEmpty || methods.contains(request.method) { return }
    if methods.contains(.get) { methods.append(.head) }
    var problem = Problem(
      .methodNotAllowed, "This address does not accept the method of the request.")
    problem.headers[.allow] = methods.map(\.rawValue).sorted().joined(separator: ", ")
    throw problem
  }
}
