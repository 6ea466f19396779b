import OffersCore

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

  static func styled(_ text: String, _ look: Look) -> PrintedText { PrintedText(.text(text, look)) }

  /// Text in a format for programs, such as JSON. It is printed exactly as it is, except on a
  /// terminal.
  static func data(_ text: String) -> PrintedText { PrintedText(.data(text)) }

  /// A JSON document in one line.
  static func json(
    pricedFeeds: Set<String> = [], _ write: (inout JSONWriter) -> Void
  ) -> PrintedText {
    var json = JSONWriter()
    json.pricedFeeds = pricedFeeds
    write(&json)
    return .data(json.text)
  }

  static func json(_ object: JSONObject, pricedFeeds: Set<String> = []) -> PrintedText {
    json(pricedFeeds: pricedFeeds, object.write)
  }

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

  var plain: String {
    pieces.reduce(into: "") { result, piece in
      switch piece {
      case .text(let text, _), .data(let text): result += text
      case .picture: break
      }
    }
  }

  /// The characters to write to a stream.
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

/// One line of text for a terminal, with highlighted ranges.
struct MarkedText {
  /// A run of text that is highlighted as a whole, or not at all.
  private struct Run {
    var text: String
    let isMarked: Bool
  }

  private var runs: [Run]

  /// - Parameter ranges: the highlighted ranges, as ascending offsets into the text's Unicode scalars. A
  ///   range that overlaps an earlier one or exceeds the text is ignored.
  init(_ text: String, ranges: [Range<Int>]) {
    let scalars = Array(text.unicodeScalars)
    var runs: [Run] = []
    var place = 0
    func add(_ end: Int, isMarked: Bool) {
      guard end > place else { return }
      var part = String.UnicodeScalarView()
      part.append(contentsOf: scalars[place..<end])
      runs.append(Run(text: Self.safe(String(part)), isMarked: isMarked))
      place = end
    }
    for range in ranges where range.lowerBound >= place && range.upperBound <= scalars.count {
      add(range.lowerBound, isMarked: false)
      add(range.upperBound, isMarked: true)
    }
    add(scalars.count, isMarked: false)
    self.runs = runs
  }

  /// Like `DisplayText.oneLine`, but every line feed becomes a space, because the runs are joined.
  private static func safe(_ text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return DisplayText.safe(lines.map { String(Substring($0)) }.joined(separator: " "))
  }

  /// The text with at most this many columns of context before the first highlighted run. If
  /// context is cut off, it begins with an ellipsis, which counts as a column.
  func lead(_ columns: Int) -> MarkedText {
    guard let first = runs.first, !first.isMarked, runs.count > 1,
      DisplayText.width(first.text) > columns
    else { return self }
    var kept: [Character] = []
    var used = 1
    for character in first.text.reversed() {
      used += DisplayText.width(character)
      if used > columns { break }
      kept.append(character)
    }
    // Removes everything up to the first space, so that the context begins with a whole word.
    if let space = kept.lastIndex(of: " ") { kept.removeSubrange(space...) }
    var result = self
    result.runs[0].text = "…" + String(kept.reversed()).drop { $0 == " " }
    return result
  }

  /// The text with its highlighted runs in bold, truncated to the given number of columns.
  func text(_ columns: Int, _ style: Style) -> PrintedText {
    var left = DisplayText.fit(runs.map(\.text).joined(), columns)[...]
    var result: PrintedText = ""
    for run in runs where !left.isEmpty {
      // In a truncated run the last character is the ellipsis, which is not highlighted.
      let part = left.prefix(run.text.count)
      left = left.dropFirst(run.text.count)
      let isWhole = part == run.text
      guard run.isMarked else {
        result += .text(String(part))
        continue
      }
      let marked = isWhole ? part : part.dropLast()
      result += "\(style.bold(String(marked)))\(isWhole ? "" : part.suffix(1))"
    }
    return result
  }
}
