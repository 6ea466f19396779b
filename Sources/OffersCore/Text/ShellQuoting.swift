/// Texts as words of a command line.
///
/// It works on UTF-8 bytes, as shells do. A Swift `Character` is a grapheme cluster: a quote with a
/// combining mark behind it compares unequal to a quote, and would be left unescaped.
package enum ShellQuoting {
  /// A text as one word that a shell takes literally: sh, bash, zsh and fish, at a prompt, in a script
  /// and as a candidate of bash's `compgen -W`; also behind the schedule of a crontab, where an
  /// unescaped percent sign ends the command.
  ///
  /// A text of plain bytes alone stays as it is. In all others each run of other bytes stands in single
  /// quotes, and each quote, backslash and percent sign outside of them behind a backslash: fish takes
  /// `\'` and `\\` within single quotes for escapes, the POSIX shells do not
  /// (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_02).
  ///
  /// - Parameter text: no word of a program can hold a NUL; it is left out.
  package static func word(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    var result: [UInt8] = []
    var isQuoted = false
    func quote(_ wanted: Bool) {
      if isQuoted != wanted { result.append(UInt8(ascii: "'")) }
      isQuoted = wanted
    }
    for byte in text.utf8 where byte != 0 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "%"):
        quote(false)
        result += [UInt8(ascii: "\\"), byte]
      default:
        quote(true)
        result.append(byte)
      }
    }
    quote(false)
    return result.isEmpty ? "''" : String(decoding: result, as: UTF8.self)
  }

  /// Whether a byte means itself wherever it stands in a word of any shell.
  package static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"),
      UInt8(ascii: "+"), UInt8(ascii: ","):
      true
    default: false
    }
  }
}
