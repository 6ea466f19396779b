import Hummingbird
import OffersCore

extension Request {
  /// The bearer token that the request shows (RFC 6750, section 2.1); nil for a request without it.
  var bearerToken: String? {
    guard let field = headers[.authorization] else { return nil }
    let parts = field.split(scalar: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].trimmingSpaces)
  }
}
