import ArgumentParser
import Foundation
import OffersCore

/// `offers show`
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

  @Argument(
    help: "The offer: 900117, or ibotta:900117 when several feeds have that id.")
  var id: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Whether to draw the image on a terminal: auto (if it is cached), always (fetches it first), "
        + "never.", valueName: "when"))
  var images = PictureMode.auto

  @OptionGroup var terminal: ColorOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: UserRecordOptions
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

  private func print(_ offer: UserOffer, of database: any OffersStorage) async throws {
    let feeds = try await configuration.path.presentations(of: offer.ref.feed, in: database)
    if json {
      var writer = JSONWriter()
      writer.pricedFeeds = feeds.pricedFeeds
      writer.value(offer, at: Date())
      try Output.printData(writer.text)
    } else {
      let isRemoved = try await database.fetchFormerFeeds().contains { $0.name == offer.ref.feed }
      let lines = OfferCard.lines(
        offer, feeds[offer.ref.feed], at: Date(), width: Terminal.width ?? 80, terminal.style,
        isOfRemovedFeed: isRemoved)
      try Output.print(lines.joined(separator: "\n"))
    }
  }
}
