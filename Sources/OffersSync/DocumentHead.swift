import OffersFeeds

/// What is known of a document before its bytes.
struct DocumentHead: Sendable {
  /// The size in bytes, where it is told beforehand.
  var totalBytes: Int?
  /// The encoding that the server names.
  var charset: String?
  /// Where on the web it was found in the end, for the links in it.
  var address: String?
  /// The next page's address by the `Link` header (RFC 8288).
  var nextLink: String?
  /// Whether the server said `Content-Encoding: deflate`, which may mean either of two kinds.
  var isDeflate = false
}

/// Takes a document's bytes in pieces, each valid during the call.
typealias PieceHandler = (_ piece: UnsafeRawBufferPointer, _ head: DocumentHead) throws -> Void
