import OffersFeeds

/// The facts about a document that are known before its first byte.
struct DocumentMetadata: Sendable {
  /// The size of the document in bytes, compressed if it is a compressed file; nil when it is
  /// unknown, as for a pipe or a response with a `Content-Encoding`.
  var totalBytes: Int?
  /// The character encoding that the server declares; nil if it declares none.
  var charset: String?
  /// The final URL after redirects, the base of relative links in the document; nil if the document
  /// does not come from a server.
  var address: String?
  /// The next page's address from the `Link` header (RFC 8288), which may be relative; nil if there
  /// is none.
  var nextLink: String?
  /// Whether the server declared `Content-Encoding: deflate`. Servers send zlib or raw deflate data
  /// under that name.
  var isDeflate = false
}

/// Receives a document's bytes in chunks that are valid only during the call.
typealias PieceHandler = (_ piece: UnsafeRawBufferPointer, _ head: DocumentMetadata) throws -> Void
