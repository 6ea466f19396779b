import Foundation
import OffersCore
import OffersSync

/// The head of a response, put together from its lines (RFC 9112, sections 4 and 5).
struct ResponseHead {
  /// The longest head that is accepted, in bytes, with those of interim responses.
  static let mostBytes = 80 << 10

  private var head = ResponseStream.Head()
  private var bytes = 0
  /// Whether the head is complete. Lines that follow are trailers of the body, which are not read.
  private(set) var isComplete = false

  /// Reads a line, with its line end.
  ///
  /// - Returns: the head if this line completes that of a final response.
  /// - Throws: `TransportFailure` with `oversizedHead` or `invalidResponse`.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(TransportFailure) -> ResponseStream
    .Head?
  {
    if isComplete { return nil }
    bytes += line.count
    guard bytes <= Self.mostBytes else { throw TransportFailure(.oversizedHead) }
    var text = line[...]
    while let last = text.last, last == 0x0A || last == 0x0D { text.removeLast() }
    if text.isEmpty {
      if head.status < 200 { return nil }
      isComplete = true
      try checkLengths()
      return head
    }
    if text.starts(with: "HTTP/".utf8) {
      try readStatus(text)
    } else if text.first == 0x20 || text.first == 0x09 {
      try readContinuation(text)
    } else {
      try readField(text)
    }
    return nil
  }

  /// Reads `HTTP/1.1 200 OK`. An interim response before this one is forgotten.
  private mutating func readStatus(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(TransportFailure) {
    let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let status = Int(Self.text(parts[1])), (100...999).contains(status)
    else { throw TransportFailure(.invalidResponse, cause: "the status is no number") }
    head = ResponseStream.Head(status: status, reason: parts.count > 2 ? Self.text(parts[2]) : "")
  }

  private mutating func readField(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(TransportFailure) {
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else {
      throw TransportFailure(.invalidResponse, cause: "a header field has no name")
    }
    let name = Self.text(line[..<colon])
    head.headers.append(HeaderField(name, Self.trimmed(line[line.index(after: colon)...])))
  }

  /// Adds a line that begins with white space to the field before it (obs-fold).
  private mutating func readContinuation(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(TransportFailure) {
    guard let last = head.headers.popLast() else {
      throw TransportFailure(.invalidResponse, cause: "the first header field has no name")
    }
    head.headers.append(HeaderField(last.name, last.value + " " + Self.trimmed(line)))
  }

  /// Throws if the lengths of the body contradict each other (RFC 9112, section 6.3), or if it has a
  /// transfer coding that was not asked for: libcurl would decompress it without a limit.
  private func checkLengths() throws(TransportFailure) {
    let lengths = Set(head.headers["content-length"])
    if lengths.count > 1 {
      throw TransportFailure(.invalidResponse, cause: "its lengths contradict each other")
    }
    let codings = head.headers["transfer-encoding"].flatMap { $0.split(scalar: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    if let other = codings.first(where: { !["chunked", "identity"].contains($0) }) {
      throw TransportFailure(.invalidResponse, cause: "it has the transfer coding \(other)")
    }
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return text(bytes)
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
