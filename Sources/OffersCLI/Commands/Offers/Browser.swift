import ChildProcesses
import Glibc
import OffersCore
import OffersPlatform

/// A link to a web page that is safe to pass to other programs.
struct WebLink {
  /// The link in ASCII. Bytes that are not allowed in a URL are percent-encoded (RFC 3986, section
  /// 2.1), so that they neither control a terminal nor split the link into several words.
  let text: String

  /// - Returns: nil unless the URL is http or https and has a host.
  init?(_ url: String) {
    let bytes = Array(url.utf8)
    let small = bytes.prefix(8).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    guard let scheme = ["http://", "https://"].first(where: { small.starts(with: $0.utf8) }),
      let first = bytes.dropFirst(scheme.utf8.count).first, !"/?#:@".utf8.contains(first)
    else { return nil }
    text = url.percentEncoded(keeping: "!#$%&'()*+,/:;=?@[]")
  }
}

/// The web browser: a command of `BROWSER`, else `xdg-open`, which starts the desktop's browser.
///
/// `BROWSER` is a list of commands, separated by colons. In a command `%s` stands for the link,
/// `%c` for a colon and `%%` for a percent sign; without `%s` the link is appended
/// (http://www.catb.org/~esr/BROWSER/). Quotes and backslashes have the meaning that they have in a
/// shell, but no shell is involved.
struct Browser {
  /// The words of each command, in the order in which they are tried.
  private let commands: [[String]]
  private let environment: [String: String]

  init(_ environment: [String: String]) {
    self.environment = environment
    let named = BrowserVariable.commands(in: environment["BROWSER"] ?? "")
    commands = named.isEmpty ? [["xdg-open"]] : named
  }

  /// The names of the programs.
  var names: [String] { commands.compactMap(\.first) }

  /// Opens a link in the first browser that works, and waits until it exits, because a text browser
  /// needs the terminal for itself.
  ///
  /// - Parameters:
  ///   - link: the link to open.
  ///   - isSilent: whether the browser's standard output is redirected to standard error, to keep
  ///     standard output for data.
  ///   - willStart: called with the name of each program before it is started.
  /// - Returns: false if no browser works.
  func open(_ link: WebLink, isSilent: Bool = false, willStart: (String) -> Void) -> Bool {
    for command in commands {
      guard let name = command.first, isPresent(name) else { continue }
      willStart(DisplayText.oneLine(name))
      if run(BrowserVariable.fill(command, with: link), isSilent) { return true }
    }
    return false
  }

  /// Whether a program is executable, by its path or in a folder of PATH.
  private func isPresent(_ name: String) -> Bool {
    if name.contains("/") { return access(name, X_OK) == 0 }
    let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(
      scalar: ":", omittingEmptySubsequences: false)
    return folders.contains { access($0.isEmpty ? name : "\($0)/\(name)", X_OK) == 0 }
  }

  /// Runs a program until it exits, in the process group of this one. In another group the system
  /// would stop it when it reads from the terminal (SIGTTIN).
  ///
  /// - Returns: whether it exited with status 0.
  private func run(_ words: [String], _ isSilent: Bool) -> Bool {
    let process = try? ChildProcess(
      words, environment: environment, input: .standardInput,
      output: isSilent ? .standardErrors : .standardOutput, errors: .standardErrors)
    return process?.wait() == 0
  }
}
