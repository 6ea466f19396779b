import ArgumentParser
import OffersCore
import OffersStore

/// `offers list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List offers.",
    discussion: """
      Lists what the feeds have, in their order. Favorites are listed with --favorites even when
      the feed no longer has them, marked gone.

      EXAMPLES
        offers list --limit 20
        offers list --favorites
        offers list --json | jq -r '.offers[].name'
      """)

  @Option(name: .long, help: "Only this feed.", completion: Completions.feeds)
  var feed: String?

  @Flag(name: .long, help: "Only favorites, gone ones too.")
  var favorites = false

  @Option(name: .long, help: ArgumentHelp("At most this many.", valueName: "n"))
  var limit: Int?

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  /// How many offers are held in memory at a time.
  private static let pageSize = 500

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
  }

  func run() throws {
    let database = try location.open(.readOnly)
    let query = OfferQuery(feed: feed, favoritesOnly: favorites)
    if json {
      try printJSON(query, database)
    } else {
      try printTable(query, database)
    }
  }

  /// Hands over the offers page by page.
  private func forEachPage(
    _ query: OfferQuery, _ database: OffersDatabase, _ body: ([Offer]) -> Void
  ) throws -> Int {
    var query = query
    var count = 0
    while true {
      query.limit = min(Self.pageSize, limit.map { $0 - count } ?? .max)
      let page = try database.fetchOffersBlocking(query)
      if !page.isEmpty { body(page) }
      count += page.count
      query.after = page.last?.ref
      if page.count < Self.pageSize || count == limit { return count }
    }
  }

  private func printJSON(_ query: OfferQuery, _ database: OffersDatabase) throws {
    var list = PagedJSON("offers")
    _ = try forEachPage(query, database) { list.print($0) { $0.value($1) } }
    list.finish()
  }

  private func printTable(_ query: OfferQuery, _ database: OffersDatabase) throws {
    let columns = [
      Table.Column(title: " ", isWhole: true), Table.Column(title: "ID", isWhole: true),
      Table.Column(title: "REWARD"),
      Table.Column(title: "NAME"),
    ]
    var table: Table?
    let shown = try forEachPage(query, database) { page in
      let rows = page.map(Self.cells)
      var text = ""
      if table == nil {
        let made = Table(columns: columns, sample: rows, totalWidth: Terminal.width)
        table = made
        text += made.header + "\n"
      }
      if let table { text += rows.map { table.line($0) + "\n" }.joined() }
      Output.printRaw(text)
    }
    if shown == 0 {
      Output.note(
        favorites
          ? "No favorites yet. Star an offer with: offers favorite ID"
          : "No offers yet. Read a feed with: offers sync")
    } else if shown == limit {
      let total = try database.countOffersBlocking(query)
      if total > shown { Output.note("\(Units.count(shown)) of \(Units.count(total)) offers") }
    }
  }

  private static func cells(_ offer: Offer) -> [String] {
    let name = DisplayText.oneLine(offer.name)
    return [
      offer.isFavorite ? "★" : " ",
      DisplayText.oneLine(offer.ref.description),
      DisplayText.oneLine(offer.reward?.text ?? "–"),
      offer.state == .gone ? "gone: \(name)" : name,
    ]
  }
}
