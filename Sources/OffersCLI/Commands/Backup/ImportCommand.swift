import ArgumentParser
import Foundation
import OffersCore
import OffersSQLite
import OffersSync

/// `offers import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the export of another database.",
    usage: "offers import <file> [<options>]",
    discussion: """
      The import is atomic, and merges the export into the database: no favorite is removed, an \
      offer on both sides is that of the later sync, with the earlier time of its first sight. \
      Importing twice has no further effect.

      The sources of the imported feeds are printed. Sources that are files, servers in private \
      networks or contain variables refuse the whole import, unless you accept them as your own.

      EXAMPLES
        offers import offers.json
        offers import offers.json --accept-sources    your own, on another machine
        zcat offers.json.gz | offers import -
      """)

  @Argument(help: "A file written by export, or - for standard input.")
  var file: String

  @Flag(
    name: .long, help: "Accept its sources as your own, including files and private networks.")
  var acceptSources = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: RecordOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let path = try location.path
    let choice = try location.choice
    try choice.check(databaseAt: path)
    let configuration = try configuration.path.load()
    let bar = ProgressBar(isEnabled: !json)
    defer { bar.clear() }
    let source = try ImportFile(file, folder: OffersDatabase.temporaryFolder(for: path)) {
      bar.show("import", bytes: $0, of: $1)
    }
    // The file is read to its end before the database is opened or created, so that an invalid file
    // does neither.
    let feeds = try ImportedFeeds(of: source, configuration)
    let review = SourceReview(isAccepting: acceptSources)
    // A refused import must not create a database. If there is none yet, all sources are new, so
    // that they can be checked before.
    if !OffersDatabase.exists(at: path) { _ = try review.review(feeds.sources) }
    let database = try await choice.record(in: try await OffersDatabase.open(path: path))
    let counts = try await database.importRecords(
      from: source, feeds: feeds.names, selections: feeds.selections, review: review.review)
    bar.clear()
    for source in counts.sources { Output.note(Self.line(source)) }
    try Output.print(json ? Self.json(counts) : Self.text(counts))
  }

  /// The line about a source that an import prints.
  private static func line(_ source: ImportedSource) -> String {
    DisplayText.oneLine(
      source.origin == nil
        ? "\(source.feed): its source \(source.text) was left out"
        : "\(source.feed): now read from \(source.text)")
  }

  private static func text(_ counts: ImportSummary) -> String {
    let offers = "\(Units.count(counts.newOffers, "new offer"))"
    var parts = [
      "\(offers), \(Units.count(counts.updatedOffers)) updated, "
        + "\(Units.count(counts.sameOffers)) known",
      "\(Units.count(counts.newFavorites, "new favorite")), "
        + "\(Units.count(counts.sameFavorites)) known",
      "\(Units.count(counts.newChanges, "change")) of \(Units.count(counts.newRuns, "sync"))",
    ]
    if counts.cutOffers > 0 {
      parts.append(
        "\(Units.count(counts.cutOffers, "offer")) mended: texts over the limits truncated")
    }
    return parts.joined(separator: "; ")
  }

  /// `{"offers":{"new","updated","known","mended"},"favorites":{"new","known"},"feeds",
  /// "changes","runs","sources":[{"feed","source","taken"}]}`
  private static func json(_ counts: ImportSummary) -> String {
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
