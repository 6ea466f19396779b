import ArgumentParser
import ChildProcesses
import Foundation
import OffersCore
import OffersPlatform

struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open an offer's link in the browser.",
    discussion: """
      The browser is the program that BROWSER names, or else xdg-open; its argument is the link. \
      Only http and https links are opened, and never through a shell.

      EXAMPLES
        offers open 8800001200
        BROWSER=w3m offers open albums:8800001200
      """)

  @Argument(help: "The offer: 8800001200, or albums:8800001200 when several feeds have that id.")
  var id: String

  @Flag(help: "Print one JSON document about the result.") var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let offer = try await location.open(.readOnly).fetchOffer(named: id)
    guard let url = offer.urlText else {
      throw OffersError(
        .notFound, "\(offer.ref) has no link.",
        hint: "See the offer: offers show \(ShellQuoting.word(offer.ref.description))")
    }
    guard let link = WebLink(url) else {
      throw OffersError(
        .notFound, "The link of \(offer.ref) is not a web page: \(url)",
        hint: "Only http and https links are opened.")
    }
    let browser = Browser(ProcessContext.environment)
    let name = DisplayText.oneLine(browser.name)
    Output.note(.text("Opening \(link.text) with \(name)"))
    let isOpened = browser.open(link, isSilent: json)
    if json {
      try Output.print(
        .json(["ref": offer.ref.description, "url": link.text, "opened": isOpened]))
    } else if !isOpened {
      try Output.print(.text(link.text))
    }
    if isOpened { return }
    Output.error(
      OffersError(
        .notFound, "The browser “\(name)” could not be started, or failed.",
        hint: "BROWSER is the name or the path of one program, without options: BROWSER=firefox "
          + "offers open \(ShellQuoting.word(offer.ref.description))"))
    throw ExitStatus.failed
  }
}

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

/// The web browser: the program that `BROWSER` names, else `xdg-open`, which starts the desktop's
/// browser. The link is its only argument, and no shell is involved.
struct Browser {
  let name: String
  private let environment: [String: String]

  init(_ environment: [String: String]) {
    self.environment = environment
    let named = environment["BROWSER"] ?? ""
    name = named.isEmpty ? "xdg-open" : named
  }

  /// Opens a link, and waits until the browser exits, because a text browser needs the terminal for
  /// itself. The browser stays in the process group of this program: in another one the system would
  /// stop it when it reads from the terminal (SIGTTIN).
  ///
  /// - Parameter isSilent: whether the browser's standard output is redirected to standard error, to keep
  ///   standard output for data.
  /// - Returns: whether the browser was started and exited with status 0.
  func open(_ link: WebLink, isSilent: Bool = false) -> Bool {
    let process = try? ChildProcess(
      [name, link.text], environment: environment, input: .standardInput,
      output: isSilent ? .standardErrors : .standardOutput, errors: .standardErrors)
    return process?.wait() == 0
  }
}
