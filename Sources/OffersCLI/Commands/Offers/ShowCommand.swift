import ArgumentParser
import OffersCore
import OffersSQLite

/// `offers show`
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one offer.",
    usage: "offers show <id> [<options>]",
    discussion: """
      EXAMPLES
        offers show 110579
        offers show ibotta:110579 --json
        offers show 110579 --images always
      """)

  @Argument(
    help: "The offer: 110579, or ibotta:110579 when several feeds have that id.",
    completion: Completions.ids)
  var id: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Whether to draw the image on a terminal: auto (if it is cached), always (fetches it first), "
        + "never.", valueName: "when"))
  var images = PictureMode.auto

  @OptionGroup var terminal: TerminalOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let database = try location.open(.readOnly)
    let offer = try await database.fetchOffer(named: id)
    guard Terminal.isOutput, !json, images != .never else { return try print(offer) }
    // A cached image is drawn whatever the settings say, because it needs no network.
    let isOpen =
      try images == .always && network.allowsPrivateNetwork(configuration.path.load())
    let picture = OfferPicture(
      offer: offer, databasePath: try location.path, mode: images, allowsPrivateNetwork: isOpen)
    let (drawing, isDrawn) = await picture.text(from: database)
    try Output.printRaw(drawing)
    try print(offer)
    if isDrawn { await picture.noteSeen() }
  }

  private func print(_ offer: Offer) throws {
    if json {
      var writer = JSONWriter()
      writer.value(offer)
      try Output.print(writer.text)
    } else {
      let lines = OfferCard.lines(offer, width: Terminal.width ?? 80, terminal.style)
      try Output.print(lines.joined(separator: "\n"))
    }
  }
}

/// The card of an offer: its reward, name, description, terms, and the other fields.
enum OfferCard {
  /// The lines of the card.
  ///
  /// - Parameter width: the width of wrapped lines in columns; 100 at most.
  static func lines(_ offer: Offer, width: Int, _ style: Style = .plain) -> [String] {
    let width = min(width, 100)
    var lines = heading(offer, width: width, style)
    if let description = offer.description {
      lines += DisplayText.wrap(DisplayText.safe(description), width)
    }
    if let terms = offer.terms {
      lines += ["", style.bold("Terms")]
      lines += DisplayText.wrap(DisplayText.safe(terms), width - 2).map {
        $0.isEmpty ? "" : "  " + $0
      }
    }
    lines.append("")
    let rows = particulars(offer)
    let indent = rows.reduce(10) { max($0, min(24, DisplayText.width($1.0))) } + 2
    for (label, value) in rows {
      let label = DisplayText.pad(DisplayText.oneLine(label), indent)
      // URLs are not wrapped, so that they can be followed.
      let isLink = value.contains("://")
      let parts =
        isLink
        ? [DisplayText.oneLine(value)]
        : DisplayText.wrap(DisplayText.oneLine(value), max(20, width - indent))
      lines += parts.enumerated().map { index, part in
        (index == 0 ? style.faint(label) : String(repeating: " ", count: indent)) + part
      }
    }
    return lines
  }

  /// The lines with the reward and the name.
  static func heading(_ offer: Offer, width: Int, _ style: Style = .plain) -> [String] {
    let title = [
      offer.isFavorite ? style.star("★") : nil,
      offer.reward.map { style.good(DisplayText.oneLine($0.text)) },
      offer.state == .gone ? "(gone)" : nil,
    ].compactMap(\.self).joined(separator: " ")
    return (title.isEmpty ? [] : [title])
      + DisplayText.wrap(DisplayText.oneLine(offer.name), width).map(style.bold)
  }

  private static func particulars(_ offer: Offer) -> [(String, String)] {
    var rows: [(String, String)] = []
    if let retailer = offer.retailer { rows.append(("Sold by", retailer)) }
    if !offer.categories.isEmpty {
      rows.append(("Category", offer.categories.joined(separator: ", ")))
    }
    if let starts = offer.startsAt { rows.append(("Starts", Units.time(starts))) }
    if let expires = offer.expiresAt { rows.append(("Expires", Units.time(expires))) }
    if let latitude = offer.latitude, let longitude = offer.longitude {
      rows.append(("Place", "\(latitude), \(longitude)"))
    }
    rows += offer.attributes.map { ($0.label, $0.value) }
    rows.append(("ID", offer.ref.description))
    if let url = offer.url { rows.append(("Page", url)) }
    if let image = offer.imageURL { rows.append(("Image", image)) }
    rows.append(("First seen", Units.time(offer.firstSeenAt)))
    if offer.changedAt > offer.firstSeenAt { rows.append(("Changed", Units.time(offer.changedAt))) }
    if let gone = offer.goneAt { rows.append(("Gone since", Units.time(gone))) }
    return rows
  }
}
