import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync

struct FeedsImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the feeds of a list from a feed reader (OPML).",
    usage: "offers feeds import <file> [<options>]",
    discussion: """
      Adds and syncs each feed as offers feeds add does, under a name made from its title, and prints a \
      line for it. Up to 8 hosts are read at once, and the feeds of one host one after another. After an \
      interruption the feeds so far are there, and the same command goes on with the others. A feed that \
      cannot be added does not stop the others; then the exit status is 3.

      EXAMPLES
        offers feeds import subscriptions.opml
      """)

  @Argument(help: "The OPML file, or - for standard input.", completion: .file()) var file: String
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let feeds = try OPML.read(try readFile())
    guard !feeds.isEmpty else {
      throw OffersError(
        .unexpectedShape, "\(file) lists no feeds.",
        hint: "Nothing was changed. A feed is an outline with xmlUrl.")
    }
    try await add(feeds)
  }

  private func readFile() throws -> [UInt8] {
    let input =
      file == "-"
      ? FileHandle(fileDescriptor: ProcessContext.current.input)
      : FileHandle(forReadingAtPath: file)
    guard let input else {
      throw OffersError(
        .notFound, "There is no file \(file) that can be read.",
        hint: "Nothing was changed. Name the OPML file that your feed reader exported.")
    }
    var bytes: [UInt8] = []
    while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty {
      bytes += piece
      if bytes.count > OPML.limitBytes {
        throw OffersError(
          .limitExceeded, "\(file) is larger than \(OPML.limitBytes >> 20) MiB.",
          hint: "Nothing was changed. Divide it.")
      }
    }
    return bytes
  }

  private func add(_ feeds: [OPML.Feed]) async throws {
    let path = try configuration.path
    let place = try location.place
    let known = try await path.load(from: place.openExisting(.readOnly))
    let database = try await place.open(.readWrite)
    let entries = FeedSummary.all(
      known: try known.knownFeeds(), subscribed: try await database.fetchFeeds(),
      former: try await database.fetchFormerFeeds(), includesKept: true)
    try await FeedGuess.withConnections { connections in
      let list = FeedListImport(
        own: OwnFeeds(file: path, database: database), known: known, connections: connections,
        options: network.syncOptions(known), tally: ImportTally(entries))
      try await list.add(feeds)
    }
  }
}

struct FeedsExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print the subscribed feeds as a list for feed readers (OPML).",
    usage: "offers feeds export [<options>]",
    discussion: """
      The list has the title and the address of each feed from the web, but no definitions, headers and \
      variables. A feed whose address contains a variable is left out. Keys that an address \
      contains itself are in the list: pass it on with care.

      EXAMPLES
        offers feeds export > feeds.opml
      """)

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let database = try await location.openIfThere(.readOnly)
    let known = try await configuration.path.load(from: database)
    let entries = FeedSummary.all(
      known: try known.knownFeeds(), subscribed: try await database?.fetchFeeds() ?? [], former: [])
    var feeds: [OPML.Feed] = []
    for entry in entries where entry.feed != nil {
      guard case .url(let address)? = try? SyncSource(parsing: entry.source),
        !address.contains("{")
      else {
        Output.note(.line("\(entry.name): left out, since its source is no plain address"))
        continue
      }
      feeds.append(OPML.Feed(title: entry.title ?? entry.name, address: address))
    }
    try Output.printData(OPML.text(feeds, title: "offers"), terminator: "")
  }
}
