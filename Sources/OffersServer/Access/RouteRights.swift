import HTTPTypes
import Hummingbird
import OffersCore

/// The right that each route requires.
///
/// A route that is not named here requires `read` for GET, and `admin` for all else: a new route is
/// closed until it is named.
enum RouteRights {
  /// - Parameters:
  ///   - method: the method; HEAD counts as GET.
  ///   - path: the path without the query.
  static func required(_ method: HTTPRequest.Method, _ path: String) -> Right {
    let parts = path.split(scalar: "/").map(String.init)
    if method == .get || method == .head {
      return parts.first == "users" ? .admin : readRights[path] ?? .read
    }
    for (route, right) in writeRights where matches(parts, route) { return right }
    return .admin
  }

  private static let readRights: [String: Right] = ["/settings/add-feed": .sync]

  /// The rights of other methods than GET by path; `*` stands for any segment.
  private static let writeRights: [([String], Right)] = [
    // The own record.
    (["api", "v1", "offers", "*", "favorite"], .favorites),
    (["offers", "*", "favorite"], .favorites),
    (["api", "v1", "offers", "*", "share"], .favorites),
    (["offers", "*", "share"], .favorites),
    (["api", "v1", "framing"], .favorites),
    // The own logins. They require a session, too, which an API token is not.
    (["pairing"], .favorites),
    (["sessions", "*", "end"], .favorites),
    (["sessions", "end-others"], .favorites),
    (["passphrase"], .favorites),
    (["identity"], .favorites),
    (["identity", "remove"], .favorites),
    (["tokens"], .favorites),
    (["tokens", "*", "revoke"], .favorites),
    // The feeds of all.
    (["api", "v1", "sync"], .sync),
    (["sync"], .sync),
    (["api", "v1", "feeds"], .sync),
    (["api", "v1", "feeds", "*", "subscription"], .sync),
    (["feeds", "*"], .sync),
    (["api", "v1", "proposals"], .sync),
    (["settings", "add-feed"], .sync),
  ]

  private static func matches(_ parts: [String], _ route: [String]) -> Bool {
    parts.count == route.count && zip(parts, route).allSatisfy { $1 == "*" || $0 == $1 }
  }
}
