import OffersFeeds

/// The facts about a document that are known before its first byte.
struct DocumentHead: Sendable {
  /// The size in bytes; nil when it is unknown.
  var totalBytes: Int?
  /// The character encoding that the server declares.
  var charset: String?
  /// The final URL after redirects, the base of relative links in the document.
  var address: String?
  /// The next page's address from the `Link` header (RFC 8288).
  var nextLink: String?
  /// Whether the server declared `Content-Encoding: deflate`. Servers send either zlib or raw
  /// deflate data under that name.
  var isDeflate = false
}

/// Receives a document's bytes in chunks that are valid only during the call.
typealias PieceHandler = (_ piece: UnsafeRawBufferPointer, _ head: DocumentHead) throws -> Void
