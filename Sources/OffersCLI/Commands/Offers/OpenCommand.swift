import ArgumentParser
import Foundation
import OffersCore
import OffersPlatform

/// `offers open`
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open an offer's link in the browser.",
    discussion: """
      The browser is the first command of BROWSER that works. BROWSER is a list of commands, \
      separated by colons, with %s for the link; without %s the link is appended. Without BROWSER, \
      xdg-open is used. Only http and https links are opened, and never through a shell.

      EXAMPLES
        offers open 8800001200
        BROWSER=w3m offers open albums:8800001200
      """)

  @Argument(
    help: "The offer: 8800001200, or albums:8800001200 when several feeds have that id.",
    completion: CompletionCandidates.ids)
  var id: String

  @Flag(name: .long, help: "Print one JSON document about the result.")
  var json = false

  @OptionGroup var location: UserRecordOptions

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
    let isOpened = browser.open(link, isSilent: json) {
      Output.note("Opening \(link.text) with \($0)")
    }
    if json {
      try Output.printData(Self.json(offer.ref, link, isOpened: isOpened))
    } else if !isOpened {
      try Output.print(.text(link.text))
    }
    if isOpened { return }
    let names = browser.names.map(DisplayText.oneLine).joined(separator: ", ")
    Output.note("offers: No browser could be started (tried: \(names)).")
    Output.note(
      .line(
        "        Open the link yourself, or name a browser: BROWSER=firefox offers open "
          + offer.ref.description))
    throw ExitStatus.failed
  }

  /// `{"ref","url","opened"}`
  private static func json(_ ref: OfferRef, _ link: WebLink, isOpened: Bool) -> String {
    JSONWriter.document { json in
      json.member("ref", ref.description)
      json.member("url", link.text)
      json.member("opened", isOpened)
    }
  }
}
