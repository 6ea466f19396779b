/// The syntax of the environment variable `BROWSER`.
enum BrowserVariable {
  /// The commands of a list, each as its words. Empty commands, and those with a quote that is not
  /// closed, are left out.
  ///
  /// Colons separate commands, and spaces, tabs and line feeds separate words, except in quotes or
  /// after a backslash. Quotes and backslashes are removed as a shell does
  /// (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02).
  static func commands(in list: String) -> [[String]] {
    var commands: [[String]] = []
    var words: [String] = []
    var word: String?
    var scanner = QuoteScanner()
    func endCommand() {
      if let word { words.append(word) }
      // A final `&` would start the browser in the background of a shell, but there is no shell.
      if words.last == "&" { words.removeLast() }
      if scanner.isComplete, !words.isEmpty { commands.append(words) }
      (words, word, scanner) = ([], nil, QuoteScanner())
    }
    for scalar in list.unicodeScalars {
      let isPlain = scanner.isPlain
      if isPlain, scalar == ":" {
        endCommand()
      } else if isPlain, isSpace(scalar) {
        if let ended = word { words.append(ended) }
        word = nil
      } else {
        // An opening quote begins a word, which may be empty.
        word = (word ?? "") + scanner.read(scalar)
      }
    }
    endCommand()
    return commands
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\n"
  }

  /// The words of a command with the link in place of `%s`, or after them.
  ///
  /// A word that contains white space may be a command line for a shell, as in `sh -c 'w3m %s'`.
  /// There the link is quoted, so that the shell takes no part of it for a command.
  static func fill(_ command: [String], with link: WebLink) -> [String] {
    var hasLink = false
    let words = command.map { word in
      let isCommandLine = word.unicodeScalars.contains(where: isSpace)
      var scanner = QuoteScanner()
      var result = ""
      var isSign = false
      for scalar in word.unicodeScalars {
        guard isSign else {
          isSign = scalar == "%"
          if !isSign {
            _ = scanner.read(scalar)
            result.unicodeScalars.append(scalar)
          }
          continue
        }
        isSign = false
        switch scalar {
        case "s":
          hasLink = true
          result += isCommandLine ? quoted(link, isPlain: scanner.isPlain) : link.text
        case "c": result += ":"
        case "%": result += "%"
        default: result += "%" + String(scalar)
        }
      }
      return isSign ? result + "%" : result
    }
    return hasLink ? words : words + [link.text]
  }

  /// A link for a command line. Characters that end a quotation or begin an expansion within one are
  /// percent-encoded; a link outside of quotes is put into them, unless it has no special character.
  private static func quoted(_ link: WebLink, isPlain: Bool) -> String {
    let text = link.text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "'"): "%27"
      case UInt8(ascii: "$"): "%24"
      case UInt8(ascii: "!"): "%21"
      default: String(Unicode.Scalar(byte))
      }
    }.joined()
    return isPlain && !text.utf8.allSatisfy(isUnspecial) ? "'\(text)'" : text
  }

  /// Whether a shell takes a byte of a link literally, even outside of quotes.
  private static func isUnspecial(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "%+,-./:=@_".utf8.contains(byte)
    }
  }
}

/// Follows the quotes and backslashes of a shell's command line, one Unicode scalar at a time.
private struct QuoteScanner {
  private var quote: Unicode.Scalar?
  private var isEscaped = false

  /// Whether the next scalar is neither in quotes nor after a backslash.
  var isPlain: Bool { quote == nil && !isEscaped }
  /// Whether all quotes are closed.
  var isComplete: Bool { isPlain }

  /// Reads a scalar, and returns the text that a shell takes from it: none for a quote or a backslash
  /// that has a meaning.
  mutating func read(_ scalar: Unicode.Scalar) -> String {
    if isEscaped {
      isEscaped = false
      // In double quotes a backslash stays before all but these characters.
      let isKept = quote == "\"" && !["$", "`", "\"", "\\", "\n"].contains(scalar)
      return isKept ? "\\" + String(scalar) : scalar == "\n" ? "" : String(scalar)
    }
    if scalar == "\\", quote != "'" {
      isEscaped = true
      return ""
    }
    if scalar == quote {
      quote = nil
      return ""
    }
    if quote == nil, scalar == "'" || scalar == "\"" {
      quote = scalar
      return ""
    }
    return String(scalar)
  }
}
