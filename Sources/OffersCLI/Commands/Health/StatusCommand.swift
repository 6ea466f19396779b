import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersStore

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the database, the feeds and their problems.",
    usage: "offers status [<options>]",
    discussion: """
      The favorites and the channels are those of the user. All else is shared. The offers include those that are gone \
      from their feeds. With --verbose also the history, whose changes include those of offers that were \
      removed since, the engine, the users and their logins; --json always has all of it.

      EXAMPLES
        offers status
        offers status --json | jq '.feeds[].last_run.outcome'
      """)

  @Flag(help: "Also show the history, the engine, the users and their logins.") var verbose = false
  @Flag(.json) var json = false
  @OptionGroup var terminal: ColorOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let configuration = try await configuration.path.load(from: database)
    func summary(_ name: String, _ feed: Feed?, _ former: FormerFeed?) throws -> FeedSummary {
      FeedSummary(
        name: name, known: try configuration.find(name).map { KnownFeed($0) }, feed: feed,
        former: former)
    }
    let contents = Contents(
      feeds: try await database.fetchFeeds().map { try summary($0.name, $0, nil) },
      former: try await database.fetchFormerFeeds().filter(\.isKept).map {
        try summary($0.name, nil, $0)
      },
      counts: try await database.countEverything(),
      history: try await database.fetchHistorySize(), users: try await database.fetchUsers(),
      channels: try await database.fetchChannels(),
      logins: try await LoginSummary(database, at: Date()))
    try Output.print(
      json
        ? .json(Self.document(database, contents, at: Date()))
        : Self.text(database, contents, at: Date(), terminal.style, isVerbose: verbose))
  }

  private struct Contents {
    let feeds: [FeedSummary]
    /// The feeds that are not subscribed, but of which offers or favorites are stored.
    let former: [FeedSummary]
    let counts: StoreCounts
    let history: HistorySize
    let users: [User]
    /// The channels of the user, over which notices are delivered.
    let channels: [UserChannel]
    let logins: LoginSummary
  }

  private static func text(
    _ database: OffersDatabase, _ contents: Contents, at now: Date, _ style: Style,
    isVerbose: Bool
  ) -> PrintedText {
    let counts = contents.counts
    let size = database.maintenance.map { " (\(Units.size($0.sizeBytes)))" } ?? ""
    let feeds = contents.feeds + contents.former
    let gone = feeds.reduce(0) { $0 + $1.goneCount }
    let holds = [
      Units.count(counts.offers, "offer") + (gone > 0 ? " (\(Units.count(gone)) gone)" : ""),
      Units.count(counts.favorites, "favorite"),
    ]
    var head = [
      "Database  \(DisplayText.oneLine(database.place))\(size)",
      "Holds     \(holds.joined(separator: ", "))",
    ]
    if isVerbose {
      let engine = database.software
      head += [
        "History   \(Self.text(contents.history, counts))",
        "Engine    \(engine.name) "
          + [engine.version, engine.remark].compactMap(\.self).joined(separator: ", "),
      ]
      head += UserSummary.text(contents.users).map { ["Users     \($0)"] } ?? []
      head += contents.logins.text.map { ["Logins    \($0)"] } ?? []
    }
    var lines =
      head.flatMap {
        DisplayText.hanging(String($0.prefix(10)), String($0.dropFirst(10)), width: Terminal.width)
      }.map(PrintedText.text) + [""]
    // On a terminal, a column of zeros makes room for the sources.
    let hasGone = Terminal.width == nil || gone > 0
    let hasStarred = Terminal.width == nil || feeds.contains { $0.favoriteCount > 0 }
    let columns: [Table.Column?] = [
      .whole("FEED"), .right("OFFERS"), hasGone ? .right("GONE") : nil,
      hasStarred ? .right("STARRED") : nil, .whole("LAST SYNC"), .whole("NEXT DUE"),
      Table.Column(title: "SOURCE", isCutInMiddle: true),
    ]
    let rows = feeds.map { feed in
      [
        feed.name, Units.count(feed.currentCount), hasGone ? Units.count(feed.goneCount) : nil,
        hasStarred ? Units.count(feed.favoriteCount) : nil, feed.lastSync(at: now),
        feed.nextDue(at: now), DisplayText.oneLine(feed.nextSource),
      ].compactMap(\.self)
    }
    let table = Table(
      columns: columns.compactMap(\.self), sample: rows, totalWidth: Terminal.width)
    lines.append(style.bold(table.header))
    lines += rows.map { .text(table.line($0)) }
    let keptLines = contents.feeds.compactMap { summary in
      SyncReport.keptText(
        summary.feed?.keptApartCount ?? 0, of: summary.name, summary.presentation.noun
      ).map { [DisplayText.oneLine("\(summary.name): \($0)")] }
    }
    let paused = contents.channels.filter { $0.endedReason != nil }
    let pausedLines = [paused.map { "channel \($0.waitingLine(at: now))" }]
    for troubles in feeds.map({ $0.troubles(at: now) }) + keptLines + pausedLines {
      guard !troubles.isEmpty else { continue }
      lines.append("")
      for trouble in troubles {
        let parts = DisplayText.hanging("", trouble, indent: 2, width: Terminal.width)
        lines += parts.map(Terminal.width == nil ? PrintedText.text : style.bad)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The first sync of a feed is one record of many changes.
  private static func text(_ history: HistorySize, _ counts: StoreCounts) -> String {
    "\(Units.count(counts.runs, "sync")); "
      + "\(Units.count(counts.changes, "change")) in \(Units.count(history.count, "record")), about "
      + "\(Units.size(history.bytes)); at most \(Units.count(history.limit)) records or "
      + "\(Units.size(history.maximumBytes)) are kept"
  }

  private static func document(
    _ database: OffersDatabase, _ contents: Contents, at now: Date
  ) -> JSONObject {
    let (counts, history, engine) = (contents.counts, contents.history, database.software)
    let facts: JSONObject = [
      "path": database.place, "bytes": database.maintenance?.sizeBytes,
      engine.key + "_version": engine.version, engine.key + "_warning": engine.warning,
      "offers": counts.offers, "favorites": counts.favorites, "changes": counts.changes,
      "runs": counts.runs, "users": contents.users.count, "logins": contents.logins.document,
      "history": [
        "records": history.count, "bytes": history.bytes, "max_records": history.limit,
        "max_bytes": history.maximumBytes,
      ] as JSONObject,
    ]
    let feeds = contents.feeds.map { summary -> JSONObject in
      let feed = summary.feed
      let document: JSONObject = [
        "name": summary.name, "defined": summary.known != nil, "source": summary.nextSource,
        "current": feed?.currentCount, "gone": feed?.goneCount, "favorites": feed?.favoriteCount,
        "last_success_at": feed?.lastSuccessAt, "last_run_at": feed?.lastRun?.startedAt,
        "last_run": WrittenJSON { json in
          if let run = feed?.lastRun { json.value(run.withCommands) } else { json.null() }
        },
        "next_due_at": summary.nextDueAt(now: now),
      ]
      return document + JSONObject(members: { $0.writeSyncMembers(of: feed) })
    }
    let former = contents.former.map { summary -> JSONObject in
      [
        "name": summary.name, "defined": summary.known != nil,
        "source": summary.former?.source.map { AddressRedaction.hidden(in: $0) },
        "current": summary.former?.currentCount, "gone": summary.former?.goneCount,
        "favorites": summary.former?.favoriteCount,
      ]
    }
    return [
      "database": facts, "feeds": feeds, "former_feeds": former,
      "channels": contents.channels.map(\.document),
    ]
  }
}

extension FeedSummary {
  fileprivate var currentCount: Int { feed?.currentCount ?? former?.currentCount ?? 0 }
  fileprivate var goneCount: Int { feed?.goneCount ?? former?.goneCount ?? 0 }
  fileprivate var favoriteCount: Int { feed?.favoriteCount ?? former?.favoriteCount ?? 0 }
}

/// The cells of a feed in a table, and its problems, for people.
extension FeedSummary {
  /// The source that the next sync reads, with hidden values, and a note on a feed without a definition.
  var nextSource: String { known == nil ? UndefinedFeed.source(of: self) : shownSource }

  func lastSync(at now: Date) -> String {
    guard let feed else { return "not subscribed" }
    if feed.triedOther, let last = feed.lastSuccessAt {
      return "\(SyncOutcome.updated.word) \(Units.age(of: last, at: now))"
    }
    return feed.lastRun.map { "\($0.word) \(Units.age(of: $0.startedAt, at: now))" }
      ?? "never"
  }

  /// When the feed is next due; a dash if it is not synced any more.
  func nextDue(at now: Date) -> String {
    nextDueAt(now: now).map { $0 <= now ? "now" : Units.time($0) } ?? "–"
  }

  /// The problems of the feed, safe for a terminal and one line each, with advice for most of them.
  /// Each line begins with the name of the feed.
  func troubles(at now: Date) -> [String] {
    unnamedTroubles(at: now).map { DisplayText.oneLine("\(name): \($0)") }
  }

  /// The problems without the name of the feed, not made safe for a terminal.
  func unnamedTroubles(at now: Date) -> [String] {
    var lines: [String] = []
    if let hint = UndefinedFeed.hint(on: self) { lines.append(hint) }
    guard let feed else { return lines }
    let fetch = feed.fetch
    if let held = fetch.held {
      let error = feed.lastRun.flatMap { $0.outcome == .heldBack ? $0.error : nil }
      let hint = error?.hint?.printed ?? SyncReport.heldCommands(of: name)
      lines.append(held.sentence(of: feed.currentCount, presentation.noun, at: now) + ". " + hint)
    }
    if let since = fetch.stoppedAt {
      lines.append(
        "stopped on \(Units.time(since)): its server says it is gone for good. To start it again: "
          + "offers sync \(name) --force")
    } else if let since = fetch.failingSince {
      lines.append("failed \(Units.times(fetch.failureCount)) since \(Units.time(since))")
    }
    if let until = fetch.waitUntil, until > now {
      lines.append("its server asked for no requests until \(Units.time(until))")
    }
    if let address = fetch.findNewAddress(of: source).map({
      AddressRedaction.hidden(in: $0)
    }) {
      lines.append(
        "has moved to \(address). To use that address: offers sync \(name) --from "
          + ShellQuoting.word(address))
    }
    if let run = feed.lastRun, let error = run.error, fetch.stoppedAt == nil, !feed.triedOther,
      error.code != .noNetwork, run.outcome != .heldBack || fetch.held == nil
    {
      lines.append(error.withCommands.description)
    }
    return lines
  }
}

/// The logins to the server that are valid, and the failed attempts that still count.
struct LoginSummary {
  /// The number of browsers that are logged in.
  let sessionCount: Int
  /// The number of API tokens that have not expired.
  let tokenCount: Int
  /// The number of counted failures of the last 24 hours. Attempts during a wait are not counted.
  let failureCount: Int
  /// The number of networks whose next attempt must wait.
  let waitingNetworkCount: Int

  init(_ database: OffersDatabase, at now: Date) async throws {
    sessionCount = try await database.fetchSessions().count { !$0.isExpired(at: now) }
    tokenCount = try await database.fetchTokens(of: nil).count { !$0.isExpired(at: now) }
    let networks = try await database.fetchAttempts().filter(\.isOfNetwork)
    failureCount = networks.filter { abs(now.timeIntervalSince($0.lastFailureAt)) < 86_400 }
      .reduce(0) { $0 + $1.count }
    waitingNetworkCount = networks.count { $0.waitSeconds(at: now) > 0 }
  }

  var document: JSONObject {
    [
      "sessions": sessionCount, "tokens": tokenCount, "failed_attempts": failureCount,
      "waiting_networks": waitingNetworkCount,
    ]
  }

  /// A text such as `2 sessions, 1 API token; 7 failed attempts in 24 hours, 1 network waits`; nil if
  /// there is nothing to tell.
  var text: String? {
    var held = [Units.count(sessionCount, "session"), Units.count(tokenCount, "API token")]
    if sessionCount + tokenCount == 0 { held = [] }
    var failed: [String] = []
    if failureCount > 0 {
      failed.append("\(Units.count(failureCount, "failed attempt")) in 24 hours")
    }
    if waitingNetworkCount > 0 {
      failed.append(
        "\(Units.count(waitingNetworkCount, "network")) "
          + (waitingNetworkCount == 1 ? "waits" : "wait"))
    }
    let parts = [held, failed].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The finding of `offers doctor`: a warning while somebody seems to guess secrets; nil if there is
  /// nothing to tell.
  var finding: Finding? {
    guard let text else { return nil }
    guard failureCount >= Self.suspiciousCount else { return Finding(.ok, "logins", text) }
    return Finding(
      .warning, "logins", text,
      hint: "Look for the addresses in the log of offers serve, and block them")
  }

  /// The number of failures in 24 hours above which somebody seems to guess.
  private static let suspiciousCount = 100
}
