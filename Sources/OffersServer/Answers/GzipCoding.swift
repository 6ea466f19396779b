import HTTPTypes
import Hummingbird
import OffersCore
import ZLib

/// The content coding `gzip` of responses (RFC 9110, section 8.4.1.3).
enum GzipCoding {
  /// The smallest body that is worth it, in bytes: about one packet.
  private static let smallestBytes = 1000

  /// Whether a body becomes smaller: a text that is not small does.
  static func isWorthIt(_ contentType: String, _ body: ByteBuffer) -> Bool {
    isText(contentType) && body.readableBytes >= smallestBytes
  }

  /// Whether bodies of a media type are texts, and pictures made of text.
  static func isText(_ contentType: String) -> Bool {
    contentType.hasPrefix("text/") || contentType.hasPrefix("application/")
      || contentType.hasPrefix("image/svg+xml")
  }

  /// Whether a client accepts the coding, by its `Accept-Encoding` (RFC 9110, section 12.5.3).
  static func isAccepted(by request: Request) -> Bool {
    guard let field = request.headers[.acceptEncoding] else { return false }
    var isAnyAccepted = false
    for part in field.split(scalar: ",") {
      let words = part.lowercased().filter { $0 != " " && $0 != "\t" }.split(scalar: ";")
      guard let coding = words.first else { continue }
      let isRefused = words.dropFirst().contains { word in
        word.hasPrefix("q=") && word.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." }
      }
      if coding == "gzip" || coding == "x-gzip" { return !isRefused }
      if coding == "*" { isAnyAccepted = !isRefused }
    }
    return isAnyAccepted
  }

  /// The body in gzip; nil if it would not become smaller.
  static func compress(_ body: ByteBuffer) -> ByteBuffer? {
    let count = body.readableBytes
    guard let size = UInt32(exactly: count) else { return nil }
    var stream = z_stream()
    // Adding 16 to the window's bits asks for the header and trailer of gzip.
    let isOpen = deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard isOpen == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var compressed = ByteBuffer()
    var isDone = false
    compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { output in
      body.withUnsafeReadableBytes { input in
        // zlib's type has no const; it does not write to its input.
        stream.next_in = UnsafeMutablePointer(
          mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = size
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = size
        isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END
        return count - Int(stream.avail_out)
      }
    }
    return isDone ? compressed : nil
  }
}
