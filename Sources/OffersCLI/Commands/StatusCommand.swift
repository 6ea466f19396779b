import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore

/// `offers status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the feeds, what is wrong, and the database.",
    discussion: """
      EXAMPLES
        offers status
        offers status --json | jq '.feeds[].last_run.outcome'
      """)

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() throws {
    let configuration = try configuration.path.load()
    let database = try location.open(.readOnly)
    let feeds = try database.fetchFeedsBlocking().map {
      FeedTiming($0, try configuration.find($0.name))
    }
    let counts = try database.countEverythingBlocking()
    Output.print(
      json ? Self.json(database, counts, feeds) : Self.text(database, counts, feeds, at: Date()))
  }

  private static func text(
    _ database: OffersDatabase, _ counts: DatabaseCounts, _ feeds: [FeedTiming], at now: Date
  ) -> String {
    let holds = [
      Units.count(counts.offers, "offer"), Units.count(counts.favorites, "favorite"),
      Units.count(counts.changes, "change"), Units.count(counts.runs, "sync"),
    ]
    var lines = [
      "Database  \(DisplayText.oneLine(database.path)) (\(Units.size(database.sizeBytes)))",
      "Holds     \(holds.joined(separator: ", "))",
      "SQLite    \(OffersDatabase.sqliteVersion), writers take turns by a lock file",
      "",
    ]
    let columns = [
      Table.Column(title: "FEED", isWhole: true), Table.Column(title: "OFFERS", isRight: true),
      Table.Column(title: "GONE", isRight: true), Table.Column(title: "STARRED", isRight: true),
      Table.Column(title: "LAST SYNC"), Table.Column(title: "NEXT DUE"),
      Table.Column(title: "SOURCE"),
    ]
    let rows = feeds.map { timing in
      let feed = timing.feed
      return [
        feed.name, Units.count(feed.currentCount), Units.count(feed.goneCount),
        Units.count(feed.favoriteCount),
        feed.lastRun.map { "\($0.outcome.rawValue) \(Units.age(of: $0.startedAt, at: now))" }
          ?? "never",
        timing.nextDueAt.map { $0 <= now ? "now" : Units.time($0) } ?? "–",
        DisplayText.oneLine(feed.source),
      ]
    }
    let table = Table(columns: columns, sample: rows, totalWidth: Terminal.width)
    lines.append(table.header)
    lines += rows.map(table.line)
    for timing in feeds {
      let troubles = timing.troubles(at: now)
      guard !troubles.isEmpty else { continue }
      lines.append("")
      for trouble in troubles {
        // In a pipe a line stays a line.
        guard let width = Terminal.width else {
          lines.append(trouble)
          continue
        }
        let parts = DisplayText.wrap(trouble, max(20, width - 2))
        lines += parts.prefix(1) + parts.dropFirst().map { "  " + $0 }
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func json(
    _ database: OffersDatabase, _ counts: DatabaseCounts, _ feeds: [FeedTiming]
  ) -> String {
    var json = JSONWriter()
    json.object { json in
      json.key("database")
      json.object { json in
        json.key("path")
        json.value(database.path)
        json.key("bytes")
        json.value(database.sizeBytes)
        json.key("sqlite_version")
        json.value(OffersDatabase.sqliteVersion)
        for (name, count) in [
          ("offers", counts.offers), ("favorites", counts.favorites), ("changes", counts.changes),
          ("runs", counts.runs),
        ] {
          json.key(name)
          json.value(count)
        }
      }
      json.key("feeds")
      json.array { json in
        for feed in feeds { json.value(feed) }
      }
    }
    return json.text
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ timing: FeedTiming) {
    let feed = timing.feed
    object { json in
      json.key("name")
      json.value(feed.name)
      json.key("source")
      json.value(feed.source)
      json.key("current")
      json.value(feed.currentCount)
      json.key("gone")
      json.value(feed.goneCount)
      json.key("favorites")
      json.value(feed.favoriteCount)
      json.key("last_success_at")
      json.value(feed.lastSuccessAt)
      json.key("last_run_at")
      json.value(feed.lastRun?.startedAt)
      json.key("last_run")
      if let run = feed.lastRun { json.value(run) } else { json.null() }
      json.key("next_due_at")
      json.value(timing.nextDueAt)
      json.key("failures")
      json.value(feed.fetch.failureCount)
      json.key("failing_since")
      json.value(feed.fetch.failingSince)
      json.key("wait_until")
      json.value(feed.fetch.waitUntil)
      json.key("stopped_at")
      json.value(feed.fetch.stoppedAt)
      json.key("held_back")
      json.value(feed.fetch.heldCount)
    }
  }
}
