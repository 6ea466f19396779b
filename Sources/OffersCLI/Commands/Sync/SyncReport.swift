import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersStore
import OffersSync

/// The texts and the JSON document of the result of a sync.
enum SyncReport {
  /// A line for people about a run.
  ///
  /// - Parameters:
  ///   - isTrial: whether the run wrote nothing.
  ///   - isShort: whether numbers that are zero are left out.
  static func line(
    _ run: SyncRun, _ noun: OfferNoun = .offer, isTrial: Bool = false, isShort: Bool = false
  ) -> String {
    if let skip = run.skip { return "\(run.feed): \(reason(skip, of: run))" }
    let counts = run.counts
    if counts == SyncCounts(), run.error == nil {
      return "\(run.feed): no \(noun.plural) found in \(Units.duration(run.durationSeconds))"
    }
    let all = text(of: counts, isShort: isShort)
    if isTrial { return "\(run.feed): would be \(all); nothing was written" }
    return "\(run.feed): \(all) in \(Units.duration(run.durationSeconds))"
  }

  private static func text(of counts: SyncCounts, isShort: Bool, unchanged: Bool = true) -> String {
    var parts = [
      (counts.new, "new"), (counts.changed, "changed"), (counts.gone, "gone"),
      (counts.back, "back"),
      (counts.unchanged, "unchanged"), (counts.skipped, "skipped"),
    ]
    if !unchanged { parts.remove(at: 4) }
    return parts.filter { !isShort || $0.0 > 0 }.map { "\(Units.count($0)) \($1)" }
      .joined(separator: ", ")
  }

  /// Whether a run of several feeds gets a line of its own: more happened than that its offers are unchanged.
  static func isNotable(_ run: SyncRun) -> Bool {
    var counts = run.counts
    counts.unchanged = 0
    return counts != SyncCounts() || run.error != nil || run.held != nil || run.keptCount > 0
      || !run.problems.isEmpty || !run.returned.isEmpty || run.source == SyncSource.sample.text
  }

  /// A line about the sync of several feeds, such as
  /// `12 feeds, 1,221 offers: 14 new, 2 gone in 3.20 s; 1 failed`, without the numbers that are zero; nil if
  /// none could be read.
  static func total(_ runs: [SyncRun], seconds: Double, isTrial: Bool = false) -> String? {
    let made = runs.filter { $0.skip == nil }
    guard made.contains(where: { $0.outcome != .failed }) else { return nil }
    var counts = SyncCounts()
    for run in made {
      counts.new += run.counts.new
      counts.changed += run.counts.changed
      counts.gone += run.counts.gone
      counts.back += run.counts.back
      counts.unchanged += run.counts.unchanged
      counts.skipped += run.counts.skipped
    }
    let offers = counts.new + counts.changed + counts.back + counts.unchanged
    let all = text(of: counts, isShort: true, unchanged: false)
    let failed = made.filter { $0.outcome == .failed }
    let offline = failed.filter { $0.error?.code == .noNetwork }.count
    let held = made.filter { $0.held != nil }.count
    let rest = [
      (failed.count - offline, "failed"), (offline, "without a network"),
      (held, "with offers held back"),
    ].filter { $0.0 > 0 }.map { "; \(Units.count($0)) \($1)" }.joined()
    return "\(Units.count(made.count, "feed")), \(Units.count(offers, "offer")): "
      + "\(all.isEmpty ? "nothing new" : all) in \(Units.duration(seconds))\(rest)"
      + (isTrial ? "; nothing was written" : "")
  }

  /// The reason why a feed was not fetched.
  private static func reason(_ skip: SyncSkip, of run: SyncRun) -> String {
    let feed = run.feed
    switch skip {
    case .fresh(let until): return "not due until \(Units.time(until))"
    case .backOff(let until, let failures):
      let times = Units.times(failures)
      return "failed \(times); it is tried again at \(Units.time(until))"
    case .wait(let until):
      let host = HTTPOrigin(run.source)?.hostAndPort ?? "its server"
      return "put off: \(host) asked to wait until \(Units.time(until)); "
        + "offers sync \(feed) --force fetches it now"
    case .stopped(let since):
      return "stopped on \(Units.time(since)): its server says it is gone for good; "
        + "offers sync \(feed) --force starts it again"
    case .sourceless:
      return "has no source of its own; "
        + "offers sync \(feed) --from URL-OR-FILE gives it one"
    }
  }

  /// Why a feed was fetched, what was requested, and the status of the response; for a source that
  /// is not on a server, the source instead. Then when the feed is next due.
  static func explanation(_ run: SyncRun) -> String {
    var parts: [String] = []
    if let request = run.request {
      switch request.reason {
      case .asked: parts.append("fetched because you asked")
      case .due: parts.append("fetched because it was due")
      case .forced: parts.append("fetched because you forced it")
      }
      let asked =
        request.isConditional ? "asked for changes since the last sync" : "asked for the document"
      let count = request.requestCount == 1 ? "" : " in \(request.requestCount) requests"
      let status = request.status.map { ", the server answered \($0)" } ?? ", no response came"
      parts.append(asked + count + status)
    } else {
      parts.append("read from \(DisplayText.oneLine(run.source))")
    }
    if let due = run.nextDueAt { parts.append("next due \(Units.time(due))") }
    return parts.joined(separator: "; ")
  }

  /// Lines about gone favorites that are probably back under another id, with the commands that
  /// star the new offers.
  static func returnedLines(_ run: SyncRun) -> [String] {
    run.returned.map { returned in
      DisplayText.oneLine(
        "  ★ \(returned.favorite) is probably back as \(returned.offer): \(returned.name)")
        + "\n    To star it: offers favorite "
        + DisplayText.oneLine(ShellQuoting.word(returned.offer.description))
    }
  }

  /// A line about offers that the sync held back, with the commands that decide about them; nil if the run's
  /// error tells of them.
  static func heldLine(_ run: SyncRun, _ noun: OfferNoun = .offer) -> String? {
    guard let held = run.held, run.error == nil else { return nil }
    let current = run.listedCount ?? held.missingCount
    return "  \(held.sentence(of: current, noun, at: run.startedAt)). "
      + heldCommands(of: run.feed)
  }

  /// A sentence about the offers of a feed that a user decided to keep, with the command that removes
  /// them; nil for none.
  static func keptText(_ count: Int, of feed: String, _ noun: OfferNoun) -> String? {
    KeptOffers.sentence(count, noun).map {
      "\($0). To remove \(count == 1 ? "it" : "them"): "
        + "offers sync \(ShellQuoting.word(feed)) --accept-removals"
    }
  }

  /// The commands that decide about the offers of a feed that are held back.
  static func heldCommands(of feed: String) -> String {
    let feed = ShellQuoting.word(feed)
    return "To remove them now: offers sync \(feed) --accept-removals. "
      + "To keep them: offers sync \(feed) --keep-missing"
  }

  /// Lines about the first five records that were skipped or mended, and the number of the others.
  static func problemLines(_ run: SyncRun) -> [String] {
    let shown = 5
    var lines = run.problems.prefix(shown).map { problem in
      DisplayText.oneLine("  " + problem.summary)
    }
    let rest = run.counts.skipped + run.mendedCount - lines.count
    if rest > 0 { lines.append("  and \(Units.count(rest)) more") }
    return lines
  }

  /// The JSON document, with the changes of a trial, and the images if they were fetched.
  static func document(
    _ runs: [SyncRun], explains: Bool, _ changes: [OfferChange]?, _ images: FetchedImages?
  ) -> JSONObject {
    var document: JSONObject = [
      "runs": runs.map { run in
        WrittenJSON { json in
          json.value(run.withCommands, explains: explains) { json in
            json.member("held") { json in
              guard let held = run.held else { return json.null() }
              held.document(current: run.listedCount ?? held.missingCount).write(to: &json)
            }
          }
        }
      }
    ]
    if let changes {
      document += ["changes": changes.map { change in WrittenJSON { $0.value(change) } }]
    }
    if let images { document += ["images": images.document] }
    return document
  }

  /// A failed run for the report of a feed whose sync could not begin. The database has no such
  /// run.
  static func unmade(feed: String, source: String, error: OffersError) -> SyncRun {
    SyncRun(
      feed: feed, source: source, outcome: .failed, bytes: 0, startedAt: Date(),
      durationSeconds: 0, error: error)
  }
}

/// The question for the currency of a feed whose amounts have none. It is asked after the sync that
/// first found such amounts, and not again when a feed turns over.
enum CurrencyQuestion {
  /// The number of offers among which amounts without a currency are sought: the first ones of the feed, so
  /// that a later sync looks at the same.
  private static let sampleCount = 50

  /// Whether a run found the first amounts without a currency of its feed.
  static func isNew(in run: SyncRun, _ offers: OffersDatabase) async throws -> Bool {
    guard run.counts.new > 0, run.counts.gone == 0, run.held == nil else { return false }
    let sample = try await offers.fetchOffers(OfferQuery(feed: run.feed, limit: sampleCount))
    let times = sample.filter {
      if case .amount(_, nil)? = $0.reward?.value { true } else { false }
    }.map(\.firstSeenAt)
    guard let first = times.min() else { return false }
    // Stored times are whole seconds.
    return first.storedSeconds >= run.startedAt.storedSeconds
  }

  static func question(of feed: String) -> String {
    "The amounts of \(feed) have no currency. Which one is it? Set it: "
      + "offers feeds set \(ShellQuoting.word(feed)) --currency USD"
  }
}

/// The error for a feed that is defined but has never been synced.
enum UnsyncedFeed {
  /// Runs a closure that reads the offers of a feed. If it throws `notFound` and the feed has a
  /// definition, the error says instead that the feed has to be synced first.
  ///
  /// - Parameter configurationPath: the file of definitions, which is read only after an error.
  static func explaining<Result>(
    _ feed: String?, _ configurationPath: @autoclosure () throws -> SettingPath,
    in database: OffersDatabase, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as OffersError where error.code == .notFound {
      guard let feed, try await configurationPath().load(from: database).names.contains(feed) else {
        throw error
      }
      throw OffersError(
        .notFound, "The feed \(feed) has not been synced yet.",
        hint: "Sync it: offers sync \(feed)",
        cause: error.message)
    }
  }
}
