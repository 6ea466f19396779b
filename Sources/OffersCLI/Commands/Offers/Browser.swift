import Glibc
import OffersCore

/// A link to a web page, fit to be handed to other programs.
struct WebLink {
  /// The link in ASCII: what no address may hold is percent-encoded (RFC 3986, section 2.1), so that
  /// it neither steers a terminal nor looks like several words.
  let text: String

  /// - Returns: nil unless it is http or https and names a host.
  init?(_ url: String) {
    let bytes = Array(url.utf8)
    let small = bytes.prefix(8).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    guard let scheme = ["http://", "https://"].first(where: { small.starts(with: $0.utf8) }),
      let first = bytes.dropFirst(scheme.utf8.count).first, !"/?#:@".utf8.contains(first)
    else { return nil }
    text = bytes.map(Self.encoded).joined()
  }

  private static let forbidden = Array(#"<>"{}|\^`"#.utf8)

  private static func encoded(_ byte: UInt8) -> String {
    if byte > 0x20, byte < 0x7F, !forbidden.contains(byte) {
      return String(Unicode.Scalar(byte))
    }
    let digits = String(byte, radix: 16, uppercase: true)
    return "%" + (byte < 0x10 ? "0" : "") + digits
  }
}

/// The program that shows web pages: what `BROWSER` names, else `xdg-open`, which knows the desktop's.
///
/// `BROWSER` is a list with colons between its commands; in each, `%s` is the link, `%c` a colon and
/// `%%` a percent sign, and a command without `%s` gets the link behind it
/// (http://www.catb.org/~esr/BROWSER/).
struct Browser {
  /// The words of each command, to be tried one after the other.
  private let commands: [[String]]
  private let environment: [String: String]

  init(_ environment: [String: String]) {
    self.environment = environment
    let listed = (environment["BROWSER"] ?? "").split(scalar: ":").map(Self.words)
    let named = listed.filter { !$0.isEmpty }
    commands = named.isEmpty ? [["xdg-open"]] : named
  }

  /// The programs that are tried.
  var names: [String] { commands.compactMap(\.first) }

  /// Shows a link in the first browser that works, and waits until that ends: one that runs in the
  /// terminal needs it for itself.
  ///
  /// - Parameters:
  ///   - isSilent: whether standard output is for something else: what the browser prints goes to
  ///     standard error.
  ///   - willStart: told the program's name.
  /// - Returns: false when none works.
  func open(_ link: WebLink, isSilent: Bool = false, willStart: (String) -> Void) -> Bool {
    for command in commands {
      guard let name = command.first, isPresent(name) else { continue }
      willStart(DisplayText.oneLine(name))
      if run(Self.filled(command, link), isSilent) { return true }
    }
    return false
  }

  /// The words of a command: between spaces, those in quotes together.
  private static func words(_ command: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in command {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character == " " {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    // A shell's sign for the background; there is no shell here.
    if words.last == "&" { words.removeLast() }
    return words
  }

  private static func filled(_ command: [String], _ link: WebLink) -> [String] {
    var hasLink = false
    let words = command.map { word in
      var result = ""
      var isSign = false
      for character in word {
        if isSign {
          switch character {
          case "s":
            result += link.text
            hasLink = true
          case "c": result += ":"
          case "%": result += "%"
          default: result += "%" + String(character)
          }
          isSign = false
        } else if character == "%" {
          isSign = true
        } else {
          result.append(character)
        }
      }
      return isSign ? result + "%" : result
    }
    return hasLink ? words : words + [link.text]
  }

  /// Whether a program can be found, by its path or in the folders of PATH.
  private func isPresent(_ name: String) -> Bool {
    if name.contains("/") { return access(name, X_OK) == 0 }
    let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(
      scalar: ":", omittingEmptySubsequences: false)
    return folders.contains { access($0.isEmpty ? name : "\($0)/\(name)", X_OK) == 0 }
  }

  /// Runs a program in our own process group: in one of its own, one that reads the terminal would
  /// be stopped.
  ///
  /// - Returns: whether it ended well.
  private func run(_ words: [String], _ isSilent: Bool) -> Bool {
    let process = try? ChildProcess(
      words, environment: environment, input: .standardInput,
      output: isSilent ? .standardErrors : .standardOutput, errors: .standardErrors)
    return process?.wait() == 0
  }
}
