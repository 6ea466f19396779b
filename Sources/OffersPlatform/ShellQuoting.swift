/// Quotes texts as words of a command line.
///
/// Works on UTF-8 bytes, as shells do. A Swift `Character` is a grapheme cluster: a quote followed
/// by a combining mark is not equal to a quote, and would be left unescaped.
package enum ShellQuoting {
  /// A text as one word that a shell takes literally. Valid for sh, bash, zsh and fish, at a
  /// prompt, in a script, as a candidate of bash's `compgen -W`, and in the command of a crontab
  /// line, where an unescaped percent sign would end the command.
  ///
  /// A text of plain bytes only is returned as it is. In other texts, quotes, backslashes and
  /// percent signs are escaped with a backslash outside of quotes, and all other bytes are in
  /// single quotes. Backslashes are kept out of single quotes because fish interprets `\'` and `\\`
  /// there, and POSIX shells do not
  /// (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_02).
  ///
  /// - Parameter text: NULs are left out, because an argument of a program cannot contain them.
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

  /// Whether a byte needs no quoting, at any position of a word, in all of these shells.
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

extension String {
  /// The text with each byte percent-encoded but the unreserved characters (RFC 3986, section 2.3).
  ///
  /// - Parameter others: further ASCII characters that stay as they are.
  package func percentEncoded(keeping others: String = "") -> String {
    let kept = Array("-._~\(others)".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(utf8.count)
    for byte in utf8 {
      if (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || kept.contains(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
