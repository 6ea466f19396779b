import OffersCore

/// The settings of feeds: the source, the sync interval and the last sync of each.
struct FeedSettings {
  let source: PageSource
  /// The visitor's right.
  let right: Right

  /// Sets the lists of the subscribed feeds, and of the others that have a definition. Returns the former.
  func fill(_ fields: inout PageFields) async throws -> [Feed] {
    let summaries = try await source.content.fetchFeedSummaries().sorted {
      PageSource.precedes(
        ($0.known?.position, $0.title ?? $0.name), ($1.known?.position, $1.title ?? $1.name))
    }
    let shown = try await source.fetchPresentations()
    let rows = summaries.map { (isOurs: $0.feed != nil, row: row($0, shown)) }
    let ours = rows.filter(\.isOurs).map(\.row)
    let others = rows.filter { !$0.isOurs }.map(\.row)
    fields.set("feeds", ours)
    fields.set("hasFeeds", !ours.isEmpty)
    fields.set("others", others)
    fields.set("hasOthers", !others.isEmpty && right >= .sync)
    fields.set("maySync", right >= .sync)
    return summaries.compactMap(\.feed)
  }

  private func row(_ summary: FeedSummary, _ shown: FeedPresentations) -> PageFields {
    PageFields { row in
      row.set("feedName", summary.name)
      row.set("feedTitle", summary.title ?? summary.name)
      row.set("feedLink", PageLinks.feed(summary.name))
      // The browser may break a long address behind each of its slashes.
      row.set("sourceParts", Self.parts(of: summary.shownSource))
      // The name of a variable of the environment says nothing to those who cannot set it.
      row.set("isSecret", right < .admin && summary.source.contains("{env:"))
      row.set("isSample", summary.source == SyncSource.sample.text)
      row.set("maySync", right >= .sync)
      if let known = summary.known {
        row.set("interval", Self.interval(known.everySeconds))
        if right >= .admin { row.set("change", change(summary, known)) }
      }
      if let due = summary.nextDueAt(now: source.now) {
        if due > source.now { row.set("nextDue", time: due) } else { row.set("isDue", true) }
      }
      guard let feed = summary.feed else { return }
      row.set("feedCount", Units.count(feed.currentCount, shown[feed.name].noun))
      if feed.favoriteCount > 0 {
        row.set("feedFavorites", Units.count(feed.favoriteCount, "favorite"))
      }
      if feed.goneCount > 0 { row.set("feedGone", "\(Units.count(feed.goneCount)) gone") }
      row.setHeld(
        [feed], shown, at: source.now, mayDecide: right >= .admin, back: SettingsSection.feeds.path)
      if feed.triedOther, let last = feed.lastSuccessAt {
        row.set("lastRun", time: last)
        return row.set("outcome", SyncOutcome.updated.word)
      }
      guard let run = feed.lastRun else { return }
      row.set("lastRun", time: run.startedAt)
      row.set("outcome", run.word)
      row.set("failed", run.outcome == .failed || run.outcome == .quarantined)
      if let error = run.error, feed.fetch.held == nil {
        row.set(
          "error",
          PageFields { fields in
            fields.set(
              "errorText", ErrorWords(error, ofFeed: summary.feed.map(PageSource.title) ?? nil))
          })
      }
    }
  }

  /// The form that changes a feed's source and interval.
  private func change(_ summary: FeedSummary, _ known: KnownFeed) -> PageFields {
    var choices = Self.intervals
    if known.hasOwnInterval, !choices.contains(known.everySeconds) {
      choices.append(known.everySeconds)
      choices.sort()
    }
    let chosen = known.hasOwnInterval ? known.everySeconds : nil
    let options = choices.map { seconds in
      PageFields(option: String(seconds), Self.interval(seconds), isChosen: seconds == chosen)
    }
    return PageFields { form in
      form.set("isDefault", chosen == nil)
      form.set("intervals", options)
      form.set("sourceNow", summary.shownSource)
    }
  }

  /// The parts of an address, each but the last with the slash behind it.
  private static func parts(of source: String?) -> [String] {
    let parts = (source ?? "").split(scalar: "/", omittingEmptySubsequences: false)
    return parts.enumerated().map { $1 + ($0 < parts.count - 1 ? "/" : "") }
  }

  /// The intervals to choose from, in seconds.
  private static let intervals = [
    900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 259_200, 604_800,
  ]

  /// An interval in words, such as `every 6 hours`, in the largest unit of which it is a multiple.
  private static func interval(_ seconds: Int) -> String {
    for (size, noun) in [(604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute")]
    where seconds >= size && seconds % size == 0 {
      let count = seconds / size
      return count == 1 ? "every \(noun)" : "every \(Units.count(count, noun))"
    }
    return "every \(Units.count(seconds, "second"))"
  }
}
