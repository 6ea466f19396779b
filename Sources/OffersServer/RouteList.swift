import HTTPTypes
import Hummingbird

/// The routes there are, to tell what may be asked for at an address.
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

  init(_ router: Router<BasicRequestContext>) {
    routes = router.routes.map {
      Route(
        segments: $0.path.description.split(separator: "/").map(String.init), method: $0.method)
    }
  }

  /// The methods and paths as they stand in the routes, sorted.
  var names: [String] {
    routes.map { "\($0.method.rawValue) /" + $0.segments.joined(separator: "/") }.sorted()
  }

  /// - Throws: `Problem` for an address where other methods than the request's are known.
  func check(_ request: Request) throws {
    let path = request.uri.path.split(separator: "/")
    var methods = routes.filter { $0.matches(path) }.map(\.method)
    if methods.isEmpty || methods.contains(request.method) { return }
    if methods.contains(.get) { methods.append(.head) }
    var problem = Problem(.methodNotAllowed, "That cannot be done here.")
    problem.headers[.allow] = methods.map(\.rawValue).sorted().joined(separator: ", ")
    throw problem
  }
}
