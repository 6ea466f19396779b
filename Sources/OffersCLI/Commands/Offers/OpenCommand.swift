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
      The browser is the program that BROWSER names, or else xdg-open; its argument is the link. \
      Only http and https links are opened, and never through a shell.

      EXAMPLES
        offers open 8800001200
        BROWSER=w3m offers open albums:8800001200
      """)

  @Argument(
    help: "The offer: 8800001200, or albums:8800001200 when several feeds have that id.")
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
    let name = DisplayText.oneLine(browser.name)
    Output.note(.text("Opening \(link.text) with \(name)"))
    let isOpened = browser.open(link, isSilent: json)
    if json {
      try Output.printData(Self.json(offer.ref, link, isOpened: isOpened))
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

  /// `{"ref","url","opened"}`
  private static func json(_ ref: OfferRef, _ link: WebLink, isOpened: Bool) -> String {
    JSONWriter.document { json in
      json.member("ref", ref.description)
      json.member("url", link.text)
      json.member("opened", isOpened)
    }
  }
}
