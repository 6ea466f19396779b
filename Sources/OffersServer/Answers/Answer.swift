import HTTPTypes
import Hummingbird
import OffersCore

/// A document as a route gives it: of the API or for people. `Answers` sends it.
struct Answer: Sendable {
  /// How long it may be given again without being made anew.
  enum Lifetime: Sendable {
    /// Until something is written to the database, by whatever process.
    case untilWrite
    /// Until then, but no longer than so many seconds.
    case seconds(Double)
    /// It is made anew each time.
    case never
  }

  /// What browsers and proxies are told: keep it, and ask whether it still holds.
  static let revalidated = "private, no-cache"

  let contentType: String
  var body: ByteBuffer
  var cacheControl = Self.revalidated
  var lifetime = Lifetime.untilWrite
  /// Whether it is a page that shows other sites in frames.
  var framesSites = false

  init(contentType: String, body: ByteBuffer) {
    self.contentType = contentType
    self.body = body
  }

  /// A page for people.
  static func page(_ html: String) -> Answer {
    Answer(contentType: "text/html; charset=utf-8", body: ByteBuffer(string: html))
  }

  /// A document of the API that is one object, whose members `body` writes.
  static func json(_ body: (inout JSONWriter) throws -> Void) rethrows -> Answer {
    var json = JSONWriter()
    try json.object(body)
    return .json(json)
  }

  /// A document of the API as it was written.
  static func json(_ json: JSONWriter) -> Answer {
    Answer(contentType: "application/json", body: ByteBuffer(bytes: json.bytes))
  }
}
