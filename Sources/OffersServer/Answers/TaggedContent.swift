import HTTPTypes
import Hummingbird
import OffersCore

/// A representation of a resource (RFC 9110, section 3.2): a body with its header fields and its entity
/// tag, a hash of the body (section 8.8.3), for clients that accept it also in gzip.
///
/// The tag is strong. A client that accepts gzip gets the same tag as a weak one, because the compressed
/// body is the same content in different bytes (section 8.8.1).
struct TaggedContent: Sendable {
  let tag: String
  let body: ByteBuffer
  private let contentType: String
  private let fields: HTTPFields
  private let isCompressible: Bool

  /// - Parameters:
  ///   - contentType: the media type of the body.
  ///   - body: the body.
  ///   - cacheControl: the value of `Cache-Control`.
  ///   - fields: further header fields.
  init(
    _ contentType: String, _ body: ByteBuffer, cacheControl: String, fields: HTTPFields = [:]
  ) {
    var hash = DocumentHash()
    body.withUnsafeReadableBytes { hash.update($0) }
    tag = "\"\(hash.finish().hexadecimal)\""
    isCompressible = GzipCoding.isWorthIt(contentType, body)
    var fields = fields
    fields[.cacheControl] = cacheControl
    if GzipCoding.isText(contentType) { fields[.vary] = "Accept-Encoding" }
    self.body = body
    self.contentType = contentType
    self.fields = fields
  }

  /// Responds to a request: 304 if it names the tag.
  func response(to request: Request) -> Response {
    let isCompressed = isCompressible && GzipCoding.isAccepted(by: request)
    var headers = fields
    headers[.eTag] = isCompressed ? "W/" + tag : tag
    if let field = request.headers[.ifNoneMatch], Self.isNamed(tag, in: field) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = contentType
    var body = body
    if isCompressed, let smaller = GzipCoding.compress(body) {
      body = smaller
      headers[.contentEncoding] = "gzip"
    }
    headers[.contentLength] = String(body.readableBytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// Whether the value of `If-None-Match` names a tag, or is `*`, which names any tag. The field
  /// requires weak comparison (RFC 9110, section 13.1.2).
  private static func isNamed(_ tag: String, in field: String) -> Bool {
    // The tags of this server contain no comma; a foreign tag with one cannot match.
    field.split(scalar: ",").contains { part in
      let named = part.trimmingSpaces
      return named == "*" || named == tag || named == "W/" + tag
    }
  }
}
