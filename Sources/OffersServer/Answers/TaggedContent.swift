import HTTPTypes
import Hummingbird
import Synchronization

/// A representation of a resource (RFC 9110, section 3.2): a body with its header fields and its entity
/// tag, for clients that accept it also in gzip.
///
/// The tag of the body is strong. A compressed response has the same tag as a weak one, because the
/// two are the same content in different bytes (RFC 9110, section 8.8.1).
final class TaggedContent: Sendable {
  let tag: String
  let body: ByteBuffer
  private let plain: Fields
  private let weak: Fields
  private let isCompressible: Bool
  private let compressed = Mutex(CompressedBody.unknown)

  /// The body in gzip, which is made when it is first asked for.
  private enum CompressedBody: Sendable {
    case unknown, notSmaller
    case body(ByteBuffer)
  }

  private struct Fields {
    var ok: HTTPFields
    var notModified: HTTPFields
  }

  /// - Parameters:
  ///   - contentType: the media type of the body.
  ///   - body: the body.
  ///   - cacheControl: the value of `Cache-Control`.
  ///   - fields: further header fields.
  init(
    _ contentType: String, _ body: ByteBuffer, cacheControl: String, fields: HTTPFields = [:]
  ) {
    let tag = EntityTag.make(of: body)
    let isCompressible = GzipCoding.isWorthIt(contentType)
    var fields = fields
    fields[.cacheControl] = cacheControl
    if isCompressible { fields[.vary] = "Accept-Encoding" }
    func tagged(_ tag: String) -> Fields {
      var notModified = fields
      notModified[.eTag] = tag
      var ok = notModified
      ok[.contentType] = contentType
      return Fields(ok: ok, notModified: notModified)
    }
    plain = tagged(tag)
    weak = isCompressible ? tagged("W/" + tag) : plain
    self.tag = tag
    self.body = body
    self.isCompressible = isCompressible
  }

  /// The memory that the content takes in a cache, in bytes: texts become a quarter or less.
  var storedBytes: Int { body.readableBytes + (isCompressible ? body.readableBytes / 4 : 0) }

  /// Responds to a request: 304 if it names the tag.
  func response(to request: Request) -> Response {
    let compressed = isCompressible && GzipCoding.isAccepted(by: request) ? compressedBody() : nil
    let fields = compressed == nil ? plain : weak
    if let field = request.headers[.ifNoneMatch], EntityTag.isNamed(tag, in: field) {
      return Response(status: .notModified, headers: fields.notModified)
    }
    let body = compressed ?? body
    var headers = fields.ok
    if compressed != nil { headers[.contentEncoding] = "gzip" }
    headers[.contentLength] = String(body.readableBytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  private func compressedBody() -> ByteBuffer? {
    switch compressed.withLock({ $0 }) {
    case .notSmaller: return nil
    case .body(let body): return body
    case .unknown:
      // Two requests at once may both compress it, which is harmless.
      let body = GzipCoding.compress(body)
      compressed.withLock { $0 = body.map { .body($0) } ?? .notSmaller }
      return body
    }
  }
}
