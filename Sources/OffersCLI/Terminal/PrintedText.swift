/// A text that `Output` prints, made of pieces that tell what each is: text for people, with or
/// without a style, data for programs, or a picture.
///
/// Every piece but a picture is made harmless for a terminal when it is printed, whatever it contains.
/// So the only escape sequences that a terminal receives are those of the styles here, and those
/// that draw a picture.
struct PrintedText: ExpressibleByStringInterpolation, Equatable {
  /// An escape sequence that sets the look of a text, as the parameters of Select Graphic Rendition
  /// (ECMA-48, section 8.3.117).
  enum Look: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    /// Black on white, whatever the colors of the terminal are.
    case blackOnWhite = "38;5;16;48;5;231"
  }

  private enum Piece: Equatable {
    case text(String, Look?)
    case data(String)
    case picture(RenderedPicture)
  }

  private var pieces: [Piece]

  private init(_ piece: Piece) { pieces = [piece] }

  /// A text for people without a style.
  static func text(_ text: String) -> PrintedText { PrintedText(.text(text, nil)) }

  /// A text for people in one line, without a style.
  static func line(_ text: String) -> PrintedText { .text(DisplayText.oneLine(text)) }

  /// A text for people with a style.
  static func styled(_ text: String, _ look: Look) -> PrintedText { PrintedText(.text(text, look)) }

  /// Text in a format for programs, such as JSON. It is printed exactly as it is, except on a
  /// terminal.
  static func data(_ text: String) -> PrintedText { PrintedText(.data(text)) }

  static func picture(_ drawing: RenderedPicture) -> PrintedText { PrintedText(.picture(drawing)) }

  init(stringLiteral text: String) { self = .text(text) }

  init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

  /// The pieces of an interpolated literal. Another printed text in it keeps its styles.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = PrintedText.text("")

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ text: String) { self.text += .text(text) }

    mutating func appendInterpolation(_ text: PrintedText) { self.text += text }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      appendLiteral("\(value)")
    }
  }

  var isEmpty: Bool {
    pieces.allSatisfy {
      switch $0 {
      case .text(let text, _), .data(let text): text.isEmpty
      case .picture: false
      }
    }
  }

  static func += (text: inout PrintedText, other: PrintedText) {
    for piece in other.pieces {
      if case .text(let end, nil) = piece, case .text(let start, nil) = text.pieces.last {
        text.pieces[text.pieces.count - 1] = .text(start + end, nil)
      } else {
        text.pieces.append(piece)
      }
    }
  }

  /// The text without the spaces at its end that have no style.
  func withoutTrailingSpaces() -> PrintedText {
    guard case .text(let text, nil) = pieces.last else { return self }
    var result = self
    let end = text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex
    result.pieces[pieces.count - 1] = .text(String(text[..<end]), nil)
    return result
  }

  /// The text with the lines of unstyled text wrapped at a width in columns.
  func wrapped(_ columns: Int) -> PrintedText {
    guard case .text(let text, nil) = pieces.first, pieces.count == 1 else { return self }
    return .text(DisplayText.wrapIndented(text, columns))
  }

  /// The text without its styles.
  var plain: String {
    pieces.reduce(into: "") { result, piece in
      switch piece {
      case .text(let text, _), .data(let text): result += text
      case .picture: break
      }
    }
  }

  /// The characters to write to a stream.
  ///
  /// - Parameter isTerminal: whether the stream goes to a terminal.
  func rendered(isTerminal: Bool) -> String {
    var result = ""
    for piece in pieces {
      switch piece {
      case .text(let text, let look):
        let safe = DisplayText.harmless(text)
        result += look.map { "\u{1B}[\($0.rawValue)m\(safe)\u{1B}[0m" } ?? safe
      case .data(let text):
        result += isTerminal ? DisplayText.harmless(text) : text
      case .picture(let drawing):
        result += drawing.sequence
      }
    }
    return result
  }
}

extension Sequence<PrintedText> {
  func joined(separator: PrintedText = "") -> PrintedText {
    var result: PrintedText = ""
    for (index, text) in enumerated() {
      if index > 0 { result += separator }
      result += text
    }
    return result
  }
}

extension String.StringInterpolation {
  /// A styled text has no characters until it is printed.
  @available(*, unavailable, message: "Make a PrintedText of the whole literal.")
  mutating func appendInterpolation(_ text: PrintedText) {}
}
