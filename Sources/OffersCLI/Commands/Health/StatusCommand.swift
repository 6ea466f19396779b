import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

/// `offers status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the database, the feeds and their problems.",
    usage: "offers status [<options>]",
    discussion: """
      The favorites are those of the user. All else is shared. The offers include those that are gone \
      from their feeds, the changes those of offers that were removed since.

      EXAMPLES
        offers status
        offers status --json | jq '.feeds[].last_run.outcome'
      """)

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var terminal: ColorOptions
  @OptionGroup var location: UserRecordOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let configuration = try configuration.path.load()
    let database = try await location.open(.readOnly)
    let feeds = try await database.fetchFeeds().map {
      FeedTroubles($0, try configuration.find($0.name))
    }
    let former = try await database.fetchFormerFeeds().filter(\.isKept).map {
      FeedSummary(
        name: $0.name, known: try configuration.find($0.name).map { KnownFeed($0) }, feed: nil,
        former: $0)
    }
    let contents = Contents(
      former: former,
      counts: try await database.countEverything(),
      history: try await database.fetchHistorySize(), users: try await database.fetchUsers(),
      logins: try await LoginSummary(database, at: Date()))
    try Output.print(
      json
        ? .data(Self.json(database, contents, feeds))
        : Self.text(database, contents, feeds, at: Date(), terminal.style))
  }

  /// The contents of the database, besides the feeds.
  private struct Contents {
    /// The feeds that are not subscribed, but of which offers or favorites are stored.
    let former: [FeedSummary]
    let counts: StoreCounts
    let history: HistorySize
    let users: [User]
    let logins: LoginSummary
  }

  private static func text(
    _ database: any OffersStorage, _ contents: Contents, _ feeds: [FeedTroubles], at now: Date,
    _ style: Style
  ) -> PrintedText {
    let counts = contents.counts
    let engine = database.engine
    let size = database.maintenance.map { " (\(Units.size($0.sizeBytes)))" } ?? ""
    let gone =
      feeds.reduce(0) { $0 + $1.feed.goneCount }
      + contents.former.reduce(0) { $0 + ($1.former?.goneCount ?? 0) }
    let holds = [
      Units.count(counts.offers, "offer") + (gone > 0 ? " (\(Units.count(gone)) gone)" : ""),
      Units.count(counts.favorites, "favorite"), Units.count(counts.runs, "sync"),
    ]
    var head = [
      "Database  \(DisplayText.oneLine(database.place))\(size)",
      "Holds     \(holds.joined(separator: ", "))",
      "History   \(Self.text(contents.history, changes: counts.changes))",
      "Engine    \(engine.name) "
        + [engine.version, engine.remark].compactMap(\.self).joined(separator: ", "),
    ]
    head += UserSummary.text(contents.users).map { ["Users     \($0)"] } ?? []
    head += contents.logins.text.map { ["Logins    \($0)"] } ?? []
    if let width = Terminal.width {
      head = head.flatMap { Self.wrapped($0, width) }
    }
    var lines = head.map(PrintedText.text) + [""]
    // On a terminal, a column of zeros makes room for the sources.
    let kept = contents.former.compactMap(\.former)
    let hasGone =
      Terminal.width == nil || feeds.contains { $0.feed.goneCount > 0 }
      || kept.contains { $0.goneCount > 0 }
    let hasStarred =
      Terminal.width == nil || feeds.contains { $0.feed.favoriteCount > 0 }
      || kept.contains { $0.favoriteCount > 0 }
    let columns = [
      Table.Column(title: "FEED", isWhole: true), Table.Column(title: "OFFERS", isRight: true),
      hasGone ? Table.Column(title: "GONE", isRight: true) : nil,
      hasStarred ? Table.Column(title: "STARRED", isRight: true) : nil,
      Table.Column(title: "LAST SYNC", isWhole: true),
      Table.Column(title: "NEXT DUE", isWhole: true),
      Table.Column(title: "SOURCE", isCutInMiddle: true),
    ].compactMap(\.self)
    var rows = feeds.map { timing in
      let feed = timing.feed
      return [
        feed.name, Units.count(feed.currentCount), hasGone ? Units.count(feed.goneCount) : nil,
        hasStarred ? Units.count(feed.favoriteCount) : nil,
        feed.lastRun.map { "\($0.outcome.word) \(Units.age(of: $0.startedAt, at: now))" }
          ?? "never",
        timing.nextDueAt.map { $0 <= now ? "now" : Units.time($0) } ?? "–",
        DisplayText.oneLine(timing.source),
      ].compactMap(\.self)
    }
    rows += contents.former.map { summary in
      let former = summary.former
      return [
        summary.name, Units.count(former?.currentCount ?? 0),
        hasGone ? Units.count(former?.goneCount ?? 0) : nil,
        hasStarred ? Units.count(former?.favoriteCount ?? 0) : nil, "not subscribed", "–",
        DisplayText.oneLine(
          summary.known == nil ? UndefinedFeed.source(of: summary) : summary.shownSource),
      ].compactMap(\.self)
    }
    let table = Table(columns: columns, sample: rows, totalWidth: Terminal.width)
    lines.append(style.bold(table.header))
    lines += rows.map { .text(table.line($0)) }
    let undefined = contents.former.compactMap { summary in
      UndefinedFeed.advice(on: summary).map { [DisplayText.oneLine("\(summary.name): \($0)")] }
    }
    let keptLines = feeds.compactMap { timing in
      let feed = timing.feed
      return SyncReport.keptText(feed.keptApartCount, of: feed.name, timing.presentation.noun)
        .map { [DisplayText.oneLine("\(feed.name): \($0)")] }
    }
    for troubles in feeds.map({ $0.troubles(at: now) }) + undefined + keptLines {
      guard !troubles.isEmpty else { continue }
      lines.append("")
      for trouble in troubles {
        // Lines are wrapped only on a terminal.
        guard let width = Terminal.width else {
          lines.append(.text(trouble))
          continue
        }
        let parts = DisplayText.wrap(trouble, max(20, width - 2))
        lines += (parts.prefix(1) + parts.dropFirst().map { "  " + $0 }).map(style.bad)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The lines of a text after a label of ten columns.
  private static func wrapped(_ line: String, _ width: Int) -> [String] {
    let label = String(line.prefix(10))
    let indent = String(repeating: " ", count: 10)
    return DisplayText.wrap(String(line.dropFirst(10)), max(20, width - 10)).enumerated().map {
      ($0 == 0 ? label : indent) + $1
    }
  }

  /// The first sync of a feed is one record of many changes.
  private static func text(_ history: HistorySize, changes: Int) -> String {
    "\(Units.count(changes, "change")) in \(Units.count(history.count, "record")), about "
      + "\(Units.size(history.bytes)); at most \(Units.count(history.limit)) records or "
      + "\(Units.size(history.maximumBytes)) are kept"
  }

  private static func json(
    _ database: any OffersStorage, _ contents: Contents, _ feeds: [FeedTroubles]
  ) -> String {
    let counts = contents.counts
    return JSONWriter.document { json in
      json.member("database", object: database) { json, database in
        json.member("path", database.place)
        json.member("bytes", database.maintenance?.sizeBytes)
        let engine = database.engine
        json.member(engine.key + "_version", engine.version)
        json.member(engine.key + "_warning", engine.warning)
        json.member("offers", counts.offers)
        json.member("favorites", counts.favorites)
        json.member("changes", counts.changes)
        json.member("runs", counts.runs)
        json.member("users", contents.users.count)
        json.member("logins") { $0.value(contents.logins) }
        json.member("history", object: contents.history) { json, history in
          json.member("records", history.count)
          json.member("bytes", history.bytes)
          json.member("max_records", history.limit)
          json.member("max_bytes", history.maximumBytes)
        }
      }
      json.member("feeds", each: feeds) { $0.value($1) }
      json.member("former_feeds", objects: contents.former) { json, summary in
        json.member("name", summary.name)
        json.member("defined", summary.known != nil)
        json.member("source", summary.former?.source.map { AddressRedaction.hidden(in: $0) })
        json.member("current", summary.former?.currentCount)
        json.member("gone", summary.former?.goneCount)
        json.member("favorites", summary.former?.favoriteCount)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ timing: FeedTroubles) {
    let feed = timing.feed
    object { json in
      json.member("name", feed.name)
      json.member("defined", timing.everySeconds != nil)
      json.member("source", timing.source)
      json.member("current", feed.currentCount)
      json.member("gone", feed.goneCount)
      json.member("favorites", feed.favoriteCount)
      json.member("last_success_at", feed.lastSuccessAt)
      json.member("last_run_at", feed.lastRun?.startedAt)
      json.member("last_run", feed.lastRun?.withCommands)
      json.member("next_due_at", timing.nextDueAt)
      json.writeSyncMembers(of: feed)
    }
  }
}
