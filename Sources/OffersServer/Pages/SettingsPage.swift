import OffersCore

/// The feeds: where they are read from, how often, and how it went.
struct SettingsPage {
  let source: PageSource

  func page() async throws -> Page {
    let known = try source.content.syncer.fetchKnownFeeds()
    let feeds = try await source.fetchFeeds()
    let subscribed = Set(feeds.map(\.name))
    var page = Page("settings", title: "Settings", place: .settings) { fields in
      fields.set(
        "feeds",
        feeds.map { feed in row(feed, known.first { $0.name == feed.name }) })
      fields.set("hasFeeds", !feeds.isEmpty)
      let others = known.filter { !subscribed.contains($0.name) }
      fields.set("others", others.map(row))
      fields.set("hasOthers", !others.isEmpty)
      fields.set("program", Version.current)
    }
    page.lifetime = .seconds(5)
    return page
  }

  private func row(_ known: KnownFeed) -> PageFields {
    PageFields { row in
      row.set("feedName", known.name)
      row.set("feedTitle", known.name)
      row.set("feedSource", known.source)
      row.set("interval", Self.interval(known.everySeconds))
    }
  }

  private func row(_ feed: Feed, _ known: KnownFeed?) -> PageFields {
    PageFields { row in
      row.set("feedName", feed.name)
      row.set("feedTitle", PageSource.title(of: feed))
      row.set("feedLink", PageLinks.feed(feed.name))
      row.set("feedSource", feed.source)
      row.set("feedCount", Units.count(feed.currentCount, "offer"))
      if feed.favoriteCount > 0 {
        row.set("feedFavorites", Units.count(feed.favoriteCount, "favorite"))
      }
      if feed.goneCount > 0 { row.set("feedGone", "\(Units.count(feed.goneCount)) gone") }
      if let known { row.set("interval", Self.interval(known.everySeconds)) }
      if let run = feed.lastRun {
        row.set("lastRun", time: run.startedAt)
        row.set("outcome", Self.words(run.outcome))
        row.set("failed", run.outcome == .failed || run.outcome == .quarantined)
        if let error = run.error {
          row.set(
            "error",
            PageFields { fields in
              fields.set("errorText", error.message)
              fields.set("errorHint", error.hint)
            })
        }
        if let known,
          let due = feed.fetch.nextDue(lastRunAt: run.startedAt, everySeconds: known.everySeconds)
        {
          row.set("nextDue", time: due)
        }
      }
    }
  }

  private static func words(_ outcome: SyncOutcome) -> String {
    switch outcome {
    case .updated: "updated"
    case .unchanged: "unchanged"
    case .quarantined: "removals held back"
    case .failed: "failed"
    case .skipped: "skipped"
    }
  }

  /// `every 6 hours`
  private static func interval(_ seconds: Int) -> String {
    for (size, noun) in [(604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute")]
    where seconds >= size && seconds % size == 0 {
      let count = seconds / size
      return count == 1 ? "every \(noun)" : "every \(Units.count(count, noun))"
    }
    return "every \(Units.count(seconds, "second"))"
  }
}
