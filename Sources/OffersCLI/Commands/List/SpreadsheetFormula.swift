import OffersCore

/// The places in a value at which a spreadsheet would run a formula, which may start programs and send what
/// other cells have (https://owasp.org/www-community/attacks/CSV_Injection).
enum SpreadsheetFormula {
  /// The value with a `'` before each formula. A sign that begins a number, a list item or a word of a
  /// text is none.
  static func disarmed(_ value: String) -> String {
    let scalars = Array(value.unicodeScalars)
    guard scalars.contains(where: { sign($0) != nil }) else { return value }
    var result = String.UnicodeScalarView()
    var isCell = true
    var isWhole = true
    for (index, scalar) in scalars.enumerated() {
      if isCell, let sign = sign(scalar) {
        let rest = scalars[(index + 1)...].prefix { !isEnd($0) }
        if runs(sign, rest, isWhole: isWhole) { result.append("'") }
      }
      // A spreadsheet drops a NUL, the white space before a value, and the quotation marks around it.
      if isEnd(scalar) || scalar == "\0" || scalar == "\"" && isCell {
        isCell = true
      } else {
        isCell = scalar == "," || scalar == ";"
        isWhole = false
      }
      result.append(scalar)
    }
    return String(result)
  }

  /// Whether a spreadsheet runs the text behind a sign.
  ///
  /// - Parameters:
  ///   - sign: the sign, in ASCII.
  ///   - rest: the text up to the end of the line.
  ///   - isWhole: whether the sign begins the value. Any other place is the beginning of a cell only in a
  ///     spreadsheet that divides the line at other signs than it should, so that only what calls a function,
  ///     a program or another sheet counts there.
  private static func runs(
    _ sign: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>, isWhole: Bool
  ) -> Bool {
    let body = rest.drop { $0 == " " }
    guard let first = body.first else { return false }
    if sign == "=" || hasCall(rest) { return true }
    if !isWhole { return false }
    if sign == "@" { return rest.first.map(isLetter) ?? false }
    if first == "+" || first == "-" { return runs(first, body.dropFirst(), isWhole: true) }
    if isLetter(first) || "('\"[{#".unicodeScalars.contains(first) { return true }
    let number = "$€£¥".unicodeScalars.contains(first) ? body.dropFirst() : body
    guard let digit = number.first, isNumeric(digit) else { return first == "$" }
    var rest = number.drop(while: isNumeric)
    if rest.first == "E" || rest.first == "e" {
      let exponent = rest.dropFirst().drop { $0 == "+" || $0 == "-" }
      if exponent.first.map(isNumeric) ?? false { rest = exponent.drop(while: isNumeric) }
    }
    let next = rest.drop { $0 == " " || $0 == "%" }.first
    return next.map { "+-*/^&=<>:".unicodeScalars.contains($0) } ?? false
  }

  /// Whether a text has a call such as `SUM(`, a program such as `cmd|`, or a sheet such as `A!B1`.
  private static func hasCall(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
    zip(text, text.dropFirst()).contains { first, second in
      isLetter(first) && (second == "(" || second == "|")
        || first == "!" && (isLetter(second) || second == "$")
    }
  }

  private static func sign(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "=", "\u{FF1D}": "="
    case "+", "\u{FF0B}": "+"
    case "-", "\u{FF0D}": "-"
    case "@", "\u{FF20}": "@"
    default: nil
    }
  }

  private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\t"
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar == "_"
  }

  private static func isNumeric(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || ".,'\u{A0}".unicodeScalars.contains(scalar)
  }
}
