import HTTPTypes
import Hummingbird
import OffersCore

/// The content of a response to a read: a page, a JSON document or an image. `Answers` makes a
/// successful response of it, `Problem` one with an error.
struct Answer: Sendable {
  /// How long the server may reuse the content for requests with the same target.
  enum Lifetime: Sendable {
    /// The content may be reused until any process commits to the database.
    case untilWrite
    /// The content may be reused like `untilWrite`, but at most for this number of seconds.
    case seconds(Double)
    /// The content is made anew for each request.
    case never

    /// The lifetime of content that depends on which offers have expired.
    static let whileNoneExpires = Lifetime.seconds(60)
  }

  /// The maximum size of the texts in an answer, in bytes. A page ends before the offer that would
  /// exceed it, but has at least one offer.
  static let pageBytes = 4 << 20

  /// The value of `Cache-Control` for content that browsers may store and must revalidate.
  static let revalidated = "private, no-cache"

  let contentType: String
  var body: ByteBuffer
  var cacheControl = Self.revalidated
  var lifetime = Lifetime.untilWrite
  /// The content of other servers that a page may load.
  var reach = ContentSecurityPolicy.ownContent

  init(contentType: String, body: ByteBuffer) {
    self.contentType = contentType
    self.body = body
  }

  /// An HTML page.
  static func page(_ html: String) -> Answer {
    Answer(contentType: "text/html; charset=utf-8", body: ByteBuffer(string: html))
  }

  /// A JSON object, whose members `body` writes.
  ///
  /// - Parameters:
  ///   - pricedFeeds: the feeds whose values are prices.
  ///   - body: writes the members.
  static func json(
    pricedFeeds: Set<String> = [], _ body: (inout JSONWriter) throws -> Void
  ) rethrows -> Answer {
    var json = JSONWriter()
    json.pricedFeeds = pricedFeeds
    try json.object(body)
    return .json(json)
  }

  /// A JSON document.
  static func json(_ json: JSONWriter) -> Answer {
    Answer(contentType: "application/json", body: ByteBuffer(bytes: json.bytes))
  }
}
