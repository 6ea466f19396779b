import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersStore
import OffersSync

struct FeedsImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the feeds of a list from a feed reader (OPML).",
    usage: "offers feeds import <file> [<options>]",
    discussion: """
      Adds each feed as offers feeds add does, under a name made from its title, and syncs them at the end. \
      A feed that is there already, or that cannot be added, is told in one line, and does not \
      stop the others. If a feed could not be added, the exit status is 3.

      EXAMPLES
        offers feeds import subscriptions.opml
      """)

  @Argument(help: "The OPML file, or - for standard input.", completion: .file()) var file: String
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  /// The limits of each of the two looks at a feed, in seconds.
  private static let lookSeconds = (idle: Int64(20), total: 60.0)

  func run() async throws {
    let feeds = try OPML.read(try readFile())
    guard !feeds.isEmpty else {
      throw OffersError(
        .unexpectedShape, "\(file) lists no feeds.",
        hint: "Nothing was changed. A feed is an outline with xmlUrl.")
    }
    try await FeedGuess.use { try await add(feeds, $0) }
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

  private func add(_ feeds: [OPML.Feed], _ guess: FeedGuess) async throws {
    let path = try configuration.path
    let user = try UserChoice()
    let place = try location.place
    let known = try await path.load(from: place.openExisting(.readOnly))
    var options = network.syncOptions(known)
    options.limits.idleSeconds = Self.lookSeconds.idle
    options.limits.totalSeconds = Self.lookSeconds.total
    let database = try await place.open(.readWrite)
    let own = OwnFeeds(file: path, database: database)
    let entries = FeedSummary.all(
      known: try known.knownFeeds(), subscribed: try await database.fetchFeeds(),
      former: try await database.fetchFormerFeeds(), includesKept: true)
    var names: [String: String] = [:]
    for entry in entries where names[entry.source] == nil { names[entry.source] = entry.name }
    var taken = Set(entries.map(\.name))
    var added: [String] = []
    var failedCount = 0
    for feed in feeds {
      try Task.checkCancellation()
      let title = feed.title.isEmpty ? feed.address : feed.title
      do {
        let address = try Self.address(of: feed)
        if let name = names[address] {
          Output.note(.line("\(DisplayText.oneLine(title)): is there already, as \(name)"))
          continue
        }
        let name =
          FeedName.suggestion(for: title, besides: taken)
          ?? FeedName.suggestion(for: "feed", besides: taken) ?? "feed"
        var proposal = try await guess.propose(
          FeedGuess.Request(name: name, source: address, options: options))
        let found = proposal.definition.source?.description ?? address
        if let name = names[found] {
          Output.note(.line("\(DisplayText.oneLine(title)): is there already, as \(name)"))
          continue
        }
        try await guess.addPages(to: &proposal, options)
        _ = try await guess.check(
          proposal.definition, of: proposal.kind, firstCount: 0, options: options)
        try await own.add(proposal.definition)
        LogEntry("feed added", ["feed": name]).send()
        names[address] = name
        names[found] = name
        taken.insert(name)
        added.append(name)
      } catch let error as OffersError where error.code != .cancelled {
        failedCount += 1
        Output.note(
          .line("\(DisplayText.oneLine(title)): not added. \(DisplayText.oneLine(error.message))"))
      }
    }
    let failed = failedCount > 0 ? ", not added \(Units.count(failedCount))" : ""
    Output.note(.line("Added \(Units.count(added.count, "feed"))\(failed)"))
    if !added.isEmpty {
      var job = PrintedSync(feeds: added, place: place, configurationPath: path, user: user)
      job.transport = guess.transport
      job.options.allowsPrivateNetwork = network.allowPrivateNetwork
      try await job.run()
    }
    if failedCount > 0 { throw ExitStatus.someFailed }
  }

  /// The address of a feed, which a list may not lead to a file or give a variable.
  private static func address(of feed: OPML.Feed) throws -> String {
    let sources = try PastedAddress(feed.address, isFile: nil).sources
    guard let address = sources.first, address.contains("://"), !address.contains("{") else {
      throw OffersError(
        .invalidRequest, "“\(feed.address.prefix(200))” is not an http:// or https:// address.")
    }
    return address
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
