import ArgumentParser
import Foundation
import OffersCore
import OffersSQLite

/// `offers import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take over what another database exported.",
    usage: "offers import <file> [<options>]",
    discussion: """
      All of it or, when anything is wrong, nothing. What is here already is completed: no favorite \
      goes, of an offer that is on both sides the one counts that was synced later, and its first \
      sight is the earlier one. Importing twice is the same as once.

      The sources that its feeds are read from now on are told. Files, servers in private networks and \
      variables are refused with the whole import, unless you say that they are yours.

      EXAMPLES
        offers import offers.json
        offers import offers.json --accept-sources    your own, on another machine
        zcat offers.json.gz | offers import -
      """)

  @Argument(help: "A file that export wrote, or - for standard input.")
  var file: String

  @Flag(
    name: .long, help: "Take its sources for your own, files and private networks included.")
  var acceptSources = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let path = try location.path
    let configuration = try configuration.path.load()
    let bar = ProgressBar(isEnabled: !json)
    defer { bar.clear() }
    let source = try ImportFile(file, folder: OffersDatabase.temporaryFolder(for: path)) {
      bar.show("import", bytes: $0, of: $1)
    }
    // Read to its end before the database is opened, or made.
    var feeds: [String] = []
    var selections: Set<String> = []
    var sources: [ImportedSource] = []
    try source.forEachRecord { record in
      guard case .feed(let feed) = record else { return }
      feeds.append(feed.name)
      if let source = feed.chosenSource {
        sources.append(ImportedSource(feed: feed.name, text: source))
      }
      if try configuration.find(feed.name)?.isSelection == true { selections.insert(feed.name) }
    }
    let review = SourceReview(isAccepting: acceptSources)
    // Where there is nothing, all of them are new. A refused import makes no database.
    if !OffersDatabase.exists(at: path) { _ = try review.review(sources) }
    let counts = try await OffersDatabase(path: path).importRecords(
      from: source, feeds: feeds, selections: selections, review: review.review)
    bar.clear()
    for source in counts.sources { Output.note(SourceReview.line(source)) }
    try Output.print(json ? Self.json(counts) : Self.text(counts))
  }

  private static func text(_ counts: ImportCounts) -> String {
    let offers = "\(Units.count(counts.newOffers, "new offer"))"
    var parts = [
      "\(offers), \(Units.count(counts.updatedOffers)) updated, "
        + "\(Units.count(counts.sameOffers)) known",
      "\(Units.count(counts.newFavorites, "new favorite")), "
        + "\(Units.count(counts.sameFavorites)) known",
      "\(Units.count(counts.newChanges, "change")) of \(Units.count(counts.newRuns, "sync"))",
    ]
    if counts.cutOffers > 0 {
      parts.append("\(Units.count(counts.cutOffers, "offer")) mended: longer than is kept, cut")
    }
    return parts.joined(separator: "; ")
  }

  /// `{"offers":{"new","updated","known","mended"},"favorites":{"new","known"},"feeds",
  /// "changes","runs","sources":[{"feed","source","taken"}]}`
  private static func json(_ counts: ImportCounts) -> String {
    JSONWriter.document { json in
      json.member("offers", object: counts) { json, counts in
        json.member("new", counts.newOffers)
        json.member("updated", counts.updatedOffers)
        json.member("known", counts.sameOffers)
        json.member("mended", counts.cutOffers)
      }
      json.member("favorites", object: counts) { json, counts in
        json.member("new", counts.newFavorites)
        json.member("known", counts.sameFavorites)
      }
      json.member("feeds", counts.newFeeds)
      json.member("changes", counts.newChanges)
      json.member("runs", counts.newRuns)
      json.member("sources", objects: counts.sources) { json, source in
        json.member("feed", source.feed)
        json.member("source", source.text)
        json.member("taken", source.origin != nil)
      }
    }
  }
}
