import Expat
import OffersCore

/// Errors of XML documents.
enum XMLFault {
  /// A position in a document, with the path of the open elements; lines and columns count from 1.
  struct Position {
    let line: Int
    let column: Int
    /// The names of the open elements with dots between them; of more than 12 names, the last 12 after an
    /// ellipsis.
    let path: String

    private static let shownNames = 12

    init(parser: XML_Parser?, path names: [String]) {
      line = Int(XML_GetCurrentLineNumber(parser))
      column = Int(XML_GetCurrentColumnNumber(parser)) + 1
      let isLong = names.count > Self.shownNames
      path = (isLong ? "…" : "") + names.suffix(Self.shownNames).joined(separator: ".")
    }

    var text: String { "line \(line), column \(column)" }
  }

  static let outOfMemory = OffersError(
    .limitExceeded, "There is not enough memory to read the document.",
    hint: "Nothing was changed. Sync again when other programs need less of it.")

  static func unsound(_ reason: String, at position: Position) -> OffersError {
    OffersError(
      .malformedFeed, "The document is not well-formed XML at \(position.text): \(reason).",
      hint: "Nothing was changed. Tell the feed's owner, or sync again later.")
  }

  static func limit(_ what: String, at position: Position) -> OffersError {
    OffersError(
      .limitExceeded, "The document has \(what), at \(position.text).",
      hint: "Nothing was changed. Check that the source is an offers feed.")
  }

  /// Returns the error for expat's code.
  ///
  /// - Parameters:
  ///   - code: the error code of expat.
  ///   - position: where expat stopped.
  ///   - isLast: whether expat has been told that no more bytes follow.
  ///   - isEmpty: whether the document has no bytes.
  static func describe(
    _ code: XML_Error, at position: Position, isLast: Bool, isEmpty: Bool
  ) -> OffersError {
    if isEmpty {
      return OffersError(
        .malformedFeed, "The document is empty.",
        hint: "Nothing was changed. Check the source, then sync again.")
    }
    switch code {
    case XML_ERROR_NO_MEMORY: return outOfMemory
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH:
      return limit("entities that expand to more than 1 MiB", at: position)
    case XML_ERROR_NO_ELEMENTS where isLast, XML_ERROR_UNCLOSED_TOKEN where isLast,
      XML_ERROR_PARTIAL_CHAR where isLast, XML_ERROR_UNCLOSED_CDATA_SECTION where isLast:
      let element =
        position.path.isEmpty ? "before any element ends" : "in element \(position.path)"
      return OffersError(
        .malformedFeed, "The document ends too early, at \(position.text), \(element).",
        hint: "Nothing was changed. It may have been cut off on the way: sync again.")
    default:
      let words = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
      let element = position.path.isEmpty ? "" : ", in element \(position.path)"
      return unsound(words + element, at: position)
    }
  }
}

/// Finds the end of a document type declaration (XML 1.0, section 2.8), byte by byte, starting
/// after `<!DOCTYPE`.
struct XMLDoctypeScan {
  private enum State {
    /// Outside the internal subset.
    case outer
    /// Between the declarations of the internal subset.
    case subset
    /// After `<` in the internal subset.
    case opened
    /// After `<!`.
    case exclaimed
    /// After `<!-`.
    case dashed
    /// In a declaration of the internal subset.
    case markup
    /// In a comment, after this number of consecutive hyphens.
    case comment(Int)
    /// In a processing instruction, possibly after a `?`.
    case instruction(isAfterMark: Bool)
  }

  /// Whether there is an internal subset, in which the document may declare entities.
  private(set) var hasSubset = false
  private var state = State.outer
  private var quote: UInt8?

  /// Consumes the next byte; returns true when it ends the document type declaration.
  mutating func isEnd(_ byte: UInt8) -> Bool {
    if let open = quote {
      if byte == open { quote = nil }
      return false
    }
    switch state {
    case .outer:
      if byte == 0x3E { return true }
      if byte == 0x5B {
        hasSubset = true
        state = .subset
      }
      openQuote(byte)
    case .subset:
      if byte == 0x5D { state = .outer }
      if byte == 0x3C { state = .opened }
    case .opened:
      state = byte == 0x21 ? .exclaimed : byte == 0x3F ? .instruction(isAfterMark: false) : .markup
      endMarkup(byte)
    case .exclaimed:
      state = byte == 0x2D ? .dashed : .markup
      endMarkup(byte)
    case .dashed:
      state = byte == 0x2D ? .comment(0) : .markup
      endMarkup(byte)
    case .markup:
      endMarkup(byte)
    case .comment(let hyphens):
      if byte == 0x3E && hyphens >= 2 {
        state = .subset
      } else {
        state = .comment(byte == 0x2D ? hyphens + 1 : 0)
      }
    case .instruction(let isAfterMark):
      state = isAfterMark && byte == 0x3E ? .subset : .instruction(isAfterMark: byte == 0x3F)
    }
    return false
  }

  private mutating func endMarkup(_ byte: UInt8) {
    guard case .markup = state else { return }
    if byte == 0x3E { state = .subset }
    openQuote(byte)
  }

  private mutating func openQuote(_ byte: UInt8) {
    if byte == 0x22 || byte == 0x27 { quote = byte }
  }
}
