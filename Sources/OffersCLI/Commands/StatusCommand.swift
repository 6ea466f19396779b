import ArgumentParser
import Foundation
import OffersCore
import OffersStore

/// `offers status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the feeds, their last sync, and the database.",
    discussion: """
      EXAMPLES
        offers status
        offers status --json | jq '.feeds[].last_run.outcome'
      """)

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func run() throws {
    let database = try location.open(.readOnly)
    let feeds = try database.fetchFeedsBlocking()
    if json {
      Output.print(Self.json(database, feeds))
    } else {
      Output.print(Self.text(database, feeds))
    }
  }

  private static func text(_ database: OffersDatabase, _ feeds: [Feed]) -> String {
    let size = Units.size(database.sizeBytes)
    var lines = [
      "Database  \(DisplayText.oneLine(database.path)) (\(size))",
      "SQLite    \(OffersDatabase.sqliteVersion), writers take turns by a lock file",
      "",
    ]
    let columns = [
      Table.Column(title: "FEED"), Table.Column(title: "OFFERS", isRight: true),
      Table.Column(title: "GONE", isRight: true), Table.Column(title: "STARRED", isRight: true),
      Table.Column(title: "LAST SYNC"), Table.Column(title: "SOURCE"),
    ]
    let now = Date()
    let rows = feeds.map { feed in
      [
        feed.name, Units.count(feed.currentCount), Units.count(feed.goneCount),
        Units.count(feed.favoriteCount),
        feed.lastRun.map { "\($0.outcome.rawValue) \(Units.age(of: $0.startedAt, at: now))" }
          ?? "never",
        DisplayText.oneLine(feed.source),
      ]
    }
    let table = Table(columns: columns, sample: rows, totalWidth: Terminal.width)
    lines.append(table.header)
    lines += rows.map(table.line)
    for feed in feeds {
      guard let error = feed.lastRun?.error else { continue }
      lines += ["", DisplayText.oneLine("\(feed.name): \(error.description)")]
    }
    return lines.joined(separator: "\n")
  }

  private static func json(_ database: OffersDatabase, _ feeds: [Feed]) -> String {
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
  fileprivate mutating func value(_ feed: Feed) {
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
    }
  }
}
