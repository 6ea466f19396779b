import HTTPTypes
import Hummingbird

/// What a request must be like to be looked at. Others could mean one thing to a proxy and another
/// to us, so their connection is closed behind the answer.
enum RequestShape {
  /// Longest target.
  static let targetBytes = 8192
  /// Largest body.
  static let bodyBytes = 64 << 10

  /// - Throws: `Problem`.
  static func check(_ request: Request, hosts: AllowedHosts) throws {
    let headers = request.headers
    guard let host = request.head.authority, !(hostName.map(headers.contains) ?? false) else {
      throw closing(Problem(.badRequest, "A request names its host once."))
    }
    if headers.contains(.transferEncoding) {
      if headers.contains(.contentLength) {
        throw closing(Problem(.badRequest, "A body has one length."))
      }
      guard headers[.transferEncoding]?.lowercased() == "chunked" else {
        throw closing(Problem(.notImplemented, "Bodies come plain or chunked."))
      }
    } else if let length = headers[.contentLength] {
      guard length.utf8.count <= 18, let bytes = Int(length), bytes >= 0 else {
        throw closing(Problem(.badRequest, "A body has one length."))
      }
      if bytes > bodyBytes { throw closing(tooLarge) }
    }
    guard hosts.contains(host) else {
      throw Problem(
        .misdirectedRequest, "This server is not known by that name.",
        hint: "Ask by its address, or start it with --allow-host and the name.")
    }
    let target = request.head.path ?? ""
    guard target.utf8.first == UInt8(ascii: "/") else {
      throw Problem(.badRequest, "A request asks for a path.")
    }
    guard target.utf8.count <= targetBytes else {
      throw Problem(.uriTooLong, "The address is too long.")
    }
    // Rules that go by the path would not know it again.
    if request.uri.path.contains("//") {
      throw Problem(.badRequest, "An address has no empty part in it.")
    }
    if target.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) {
      // Where a text ends at its first null, two addresses would mean one thing.
      if target.contains("%00") {
        throw Problem(.badRequest, "An address has no null character in it.")
      }
      try checkSegments(request.uri.path)
    }
  }

  static var tooLarge: Problem {
    Problem(
      .contentTooLarge, "A body has at most \(bodyBytes >> 10) KiB.", code: .limitExceeded)
  }

  /// The first one is taken out of the fields before we see them.
  private static let hostName = HTTPField.Name("Host")

  private static func checkSegments(_ path: String) throws {
    for segment in path.split(separator: "/") {
      guard let text = PercentCode.decode(segment) else {
        throw Problem(.badRequest, "The address is not well-formed.")
      }
      if text == "." || text == ".." {
        throw Problem(.badRequest, "An address has no “\(text)” in it.")
      }
    }
  }

  /// The problem, behind whose answer the connection is closed.
  static func closing(_ problem: Problem) -> Problem {
    var problem = problem
    problem.headers[.connection] = "close"
    return problem
  }
}
