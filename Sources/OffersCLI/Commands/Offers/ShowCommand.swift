import ArgumentParser
import Foundation
import OffersCore
import OffersHTTP
import OffersStore
import OffersSync

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one offer.",
    usage: "offers show <id> [<options>]",
    discussion: """
      EXAMPLES
        offers show 900117
        offers show ibotta:900117 --json
        offers show 900117 --images always
      """)

  @Argument(help: "The offer: 900117, or ibotta:900117 when several feeds have that id.")
  var id: String

  @Flag(.json) var json = false

  @Option(
    help: .value(
      "when",
      "Whether to draw the image on a terminal: auto (if it is cached), always (fetches it first), "
        + "never."))
  var images = PictureMode.auto

  @OptionGroup var terminal: ColorOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let place = try location.place
    let database = try await location.open(place, .readOnly)
    let offer = try await database.fetchOffer(named: id)
    guard Terminal.isOutput, !json, images != .never else {
      return try await print(offer, of: database)
    }
    // The configuration is read only if the image may be fetched: a broken file of definitions must
    // not keep a cached image from being drawn.
    let isOpen =
      try images == .always && network.allowsPrivateNetwork(configuration.path.load())
    let picture = OfferPicture(
      offer: offer, place: place, mode: images, allowsPrivateNetwork: isOpen)
    let (drawing, isDrawn) = await picture.text(from: database)
    try Output.print(drawing, terminator: "")
    try await print(offer, of: database)
    if isDrawn { await picture.noteSeen() }
  }

  private func print(_ offer: UserOffer, of database: OffersDatabase) async throws {
    let feeds = try await configuration.path.presentations(of: offer.ref.feed, in: database)
    if json {
      try Output.print(
        .json(pricedFeeds: feeds.pricedFeeds) { $0.value(offer, at: Date()) })
    } else {
      let isRemoved = try await database.fetchFormerFeeds().contains { $0.name == offer.ref.feed }
      let lines = OfferCard.lines(
        offer, feeds[offer.ref.feed], at: Date(), width: Terminal.width ?? 80, terminal.style,
        isOfRemovedFeed: isRemoved)
      try Output.print(lines.joined(separator: "\n"))
    }
  }
}

/// The card of an offer: its reward or price, name, description, terms, and the other fields.
enum OfferCard {
  /// The lines of the card.
  ///
  /// - Parameters:
  ///   - width: the width in columns at which lines are wrapped; more than 100 counts as 100.
  ///   - isOfRemovedFeed: whether to say that the feed is not subscribed any more.
  static func lines(
    _ offer: UserOffer, _ presentation: FeedPresentation, at now: Date, width: Int,
    _ style: Style = .plain, isOfRemovedFeed: Bool = false
  ) -> [PrintedText] {
    let width = min(width, 100)
    var lines = heading(offer, presentation, at: now, width: width, style)
    if let description = offer.description {
      lines += DisplayText.wrap(DisplayText.safe(description), width).map(PrintedText.text)
    }
    if let terms = offer.terms {
      lines += ["", style.bold("Terms")]
      lines += DisplayText.wrap(DisplayText.safe(terms), width - 2).map {
        $0.isEmpty ? "" : "  \($0)"
      }
    }
    lines.append("")
    let rows =
      particulars(offer, at: now)
      + (isOfRemovedFeed ? [("Feed", "\(offer.ref.feed), which is not subscribed any more")] : [])
    let indent = rows.reduce(10) { max($0, min(24, DisplayText.width($1.0))) } + 2
    for (name, value) in rows {
      let name = DisplayText.oneLine(name)
      // A longer label has a line of its own.
      let isLong = DisplayText.width(name) + 2 > indent
      if isLong { lines += DisplayText.wrap(name, width).map(style.faint) }
      let label = DisplayText.pad(isLong ? "" : name, indent)
      // Values with a URL are not wrapped, so that a terminal can open the URL.
      let isLink = value.contains("://")
      let parts =
        isLink
        ? [DisplayText.oneLine(value)]
        : DisplayText.wrap(DisplayText.oneLine(value), max(20, width - indent))
      lines += parts.enumerated().map { index, part in
        "\(index == 0 ? style.faint(label) : .text(DisplayText.pad("", indent)))\(part)"
      }
    }
    return lines
  }

  /// The lines with the star of a favorite, the reward or the price, the marks of a gone and of an expired
  /// offer, the name and the byline.
  static func heading(
    _ offer: UserOffer, _ presentation: FeedPresentation, at now: Date, width: Int,
    _ style: Style = .plain
  ) -> [PrintedText] {
    let title: PrintedText = [
      offer.isFavorite ? style.star("★") : nil,
      offer.reward.map { reward -> PrintedText in
        let text = DisplayText.oneLine(reward.text)
        return presentation.valueRole == .price ? .text("Price " + text) : style.good(text)
      },
      offer.isGone ? "(gone)" : nil,
      offer.isExpired(at: now) ? "(expired)" : nil,
    ].compactMap(\.self).joined(separator: " ")
    let byline = presentation.byline(of: offer.offer).map(DisplayText.oneLine)
    return (title.isEmpty ? [] : [title])
      + DisplayText.wrap(DisplayText.oneLine(offer.name), width).map(style.bold)
      + (byline.map { DisplayText.wrap($0, width).map(PrintedText.text) } ?? [])
  }

  private static func particulars(_ offer: UserOffer, at now: Date) -> [(String, String)] {
    var rows: [(String, String)] = []
    if let retailer = offer.retailer { rows.append(("Sold by", retailer)) }
    // Many feeds repeat their categories as an attribute. They are shown once, with its label, which
    // is more precise.
    let categories = offer.categories.joined(separator: ", ")
    if !categories.isEmpty {
      let label = offer.attributes.first { $0.value == categories }?.label ?? "Category"
      rows.append((label, categories))
    }
    if let starts = offer.startsAt { rows.append(("Starts", Units.time(starts))) }
    if let expires = offer.expiresAt {
      let label = offer.isExpired(at: now) ? "Expired on" : "Expires"
      rows.append((label, Units.time(expires)))
    }
    if let latitude = offer.latitude, let longitude = offer.longitude {
      rows.append(("Place", "\(latitude), \(longitude)"))
    }
    rows += offer.attributes.filter { $0.value != categories }.map { ($0.label, $0.shownValue) }
    rows.append(("ID", offer.ref.description))
    if let url = offer.urlText { rows.append(("Link", url)) }
    if let image = offer.imageURLText { rows.append(("Image", image)) }
    rows.append(("First seen", Units.time(offer.firstSeenAt)))
    if offer.changedAt > offer.firstSeenAt { rows.append(("Changed", Units.time(offer.changedAt))) }
    if let gone = offer.goneAt { rows.append(("Gone since", Units.time(gone))) }
    if offer.isOlder { rows.append(("Older", "the feed shows newer ones only")) }
    return rows
  }
}

/// When an offer's image is drawn.
enum PictureMode: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// The image is drawn if it is cached. The network is not used.
  case auto
  /// The image is drawn, and is fetched first if it is not cached or no longer fresh.
  case always
  case never
}

/// The drawing of an offer's image above its card, on a terminal.
struct OfferPicture {
  let offer: UserOffer
  let place: any StorePlace
  let mode: PictureMode
  let allowsPrivateNetwork: Bool

  /// The drawing and true, or a line with the reason why there is none and false. The text is empty
  /// if the offer has no image, and for the mode `never`.
  func text(from database: OffersDatabase) async -> (text: PrintedText, isDrawn: Bool) {
    guard mode != .never, let url = offer.imageURLText else { return ("", false) }
    func line(_ reason: String) -> (PrintedText, Bool) {
      ("\(DisplayText.oneLine("[no picture: \(reason)]"))\n", false)
    }
    do {
      guard let image = try await image(from: database, at: url) else {
        if let failure = try await database.findFailure(of: url, now: Date()) {
          return line(failure.reason)
        }
        return line("not fetched yet; offers sync --images")
      }
      let environment = ProcessContext.environment
      let drawing = TerminalPicture.draw(
        image, TerminalPicture.way { environment[$0] }, width: Terminal.width ?? 80,
        colors: TerminalPicture.colors { environment[$0] }, path: environment["PATH"] ?? "")
      let kind = "\(image.header.format.title), \(image.header.width) × \(image.header.height)"
      switch drawing {
      case .drawn(let picture): return (.picture(picture), true)
      case .needsChafa: return line("\(kind); to see it here, install chafa")
      case .failed: return line("\(kind), which chafa cannot draw")
      }
    } catch {
      return line((error as? OffersError)?.message ?? "it could not be read")
    }
  }

  private func image(
    from database: OffersDatabase, at url: String
  ) async throws -> CachedImage? {
    if let sample = CachedImage(ofSampleAt: url, now: Date()) { return sample }
    if mode == .auto { return try await database.findImage(of: offer) }
    let writable = try await place.open(.readWrite)
    return try await ImageLoader.withLoader(writable, allowsPrivateNetwork: allowsPrivateNetwork) {
      try await $0.image(of: offer)
    }
  }

  /// Records that the cached image was drawn, for the eviction order, unless another process is
  /// writing. In the mode `always` the loader has recorded it.
  func noteSeen() async {
    guard let url = offer.imageURLText, mode == .auto else { return }
    // If the use is not recorded, the image is at worst evicted earlier.
    try? await place.noteImageUse(of: url)
  }
}
