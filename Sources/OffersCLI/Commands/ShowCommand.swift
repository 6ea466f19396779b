import ArgumentParser
import OffersCore
import OffersStore

/// `offers show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one offer.",
    discussion: """
      EXAMPLES
        offers show 110579
        offers show ibotta:110579 --json
      """)

  @Argument(help: "The offer: 110579, or ibotta:110579 when several feeds have that id.")
  var id: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func run() throws {
    let offer = try location.open(.readOnly).fetchOfferBlocking(named: id)
    if json {
      var writer = JSONWriter()
      writer.value(offer)
      Output.print(writer.text)
    } else {
      Output.print(OfferCard.lines(offer, width: Terminal.width ?? 80).joined(separator: "\n"))
    }
  }
}

/// An offer as a card: what it pays, what it is, its terms, then the particulars.
enum OfferCard {
  /// - Parameter width: where lines are broken, in columns.
  static func lines(_ offer: Offer, width: Int) -> [String] {
    let width = min(width, 100)
    let title = [
      offer.isFavorite ? "★" : nil, offer.reward.map { DisplayText.oneLine($0.text) },
      offer.state == .gone ? "(gone)" : nil,
    ].compactMap(\.self).joined(separator: " ")
    var lines = title.isEmpty ? [] : [title]
    lines += DisplayText.wrap(DisplayText.oneLine(offer.name), width)
    if let description = offer.description {
      lines += DisplayText.wrap(DisplayText.safe(description), width)
    }
    if let terms = offer.terms {
      lines += ["", "Terms"]
      lines += DisplayText.wrap(DisplayText.safe(terms), width - 2).map {
        $0.isEmpty ? "" : "  " + $0
      }
    }
    lines.append("")
    lines += particulars(offer).map { label, value in
      DisplayText.pad(label, 12) + DisplayText.oneLine(value)
    }
    return lines
  }

  private static func particulars(_ offer: Offer) -> [(String, String)] {
    var rows = [("ID", offer.ref.description)]
    if let url = offer.url { rows.append(("Page", url)) }
    if let image = offer.imageURL { rows.append(("Image", image)) }
    rows.append(("First seen", Units.time(offer.firstSeenAt)))
    if offer.changedAt > offer.firstSeenAt { rows.append(("Changed", Units.time(offer.changedAt))) }
    if let gone = offer.goneAt { rows.append(("Gone since", Units.time(gone))) }
    return rows
  }
}
