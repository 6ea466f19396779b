import Foundation
import OffersPlatform

/// How one attempt to sync a feed ended.
public enum SyncOutcome: String, Sendable, CaseIterable {
  /// The feed was read and the difference, if any, was applied.
  case updated
  /// The document is the same as last time: it was not parsed, and no offer was written.
  case unchanged
  /// The document is not believed: it is empty, probably belongs to another feed, or comes from another
  /// source and lacks many offers. No offer was removed, and of another feed's document none was stored.
  /// Removals of the feed's own document that only wait for a second one are `updated`, with
  /// ``SyncRun/held``. Databases, exports and the API have its older name.
  case heldBack = "quarantined"
  /// Nothing was applied; the offers are unchanged.
  case failed
  /// The feed was not fetched, for one of the reasons in `SyncSkip`; no run is recorded.
  case skipped

  /// The word for the outcome in texts for people.
  package var word: String { self == .heldBack ? "held back" : rawValue }
}

/// The numbers of offers, by what a sync found out about them.
public struct SyncCounts: Hashable, Sendable {
  /// Offers that the store did not have.
  public var new = 0
  /// Known offers with a changed field.
  public var changed = 0
  /// Offers that the feed no longer has.
  public var gone = 0
  /// Vanished offers that the feed has again.
  public var back = 0
  /// Known offers without a change.
  public var unchanged = 0
  /// Records that are not valid offers or repeat an id.
  public var skipped = 0

  /// Creates counts of 0.
  public init() {}
}

/// A favorite that is gone, and a new offer with the same name and description.
package struct FavoriteSuccessor: Hashable, Sendable {
  /// The favorite, whose offer is gone.
  package let favorite: OfferRef
  /// The new offer that is probably the same.
  package let offer: OfferRef
  /// The new offer's name.
  package let name: String

  /// Creates a returned favorite of its parts; the properties describe them.
  package init(favorite: OfferRef, offer: OfferRef, name: String) {
    self.favorite = favorite
    self.offer = offer
    self.name = name
  }
}

/// A fault in a record, and how the reader handled it.
package struct ReadProblem: Hashable, Sendable {
  /// How a faulty record was handled.
  package enum Effect: String, Sendable {
    /// The record was discarded.
    case skipped
    /// The record was kept without the part that the reason names.
    case mended
  }

  /// The position of the record in the feed, from 1; 0 for the document as a whole.
  package let position: Int
  /// The effect of the problem on the record: skipped or mended.
  package let effect: Effect
  /// The reason, in one sentence.
  package let reason: String

  /// Creates a read problem of its parts; the properties describe them.
  package init(position: Int, effect: Effect, reason: String) {
    self.position = position
    self.effect = effect
    self.reason = reason
  }

  /// The problem as a line of text for users.
  package var summary: String {
    position == 0 ? reason : "record \(position) \(effectWord): \(reason)"
  }

  /// The word for the effect in texts for people.
  private var effectWord: String {
    switch effect {
    case .skipped: "skipped"
    case .mended: "repaired"
    }
  }

  /// The reason for skipping a record with the id of an earlier record.
  package static func repeated(_ id: String) -> String {
    "id \(id) came before; the first one counts"
  }
}

/// One attempt to sync a feed: the source, the changes and the outcome.
public struct SyncRun: Hashable, Sendable {
  /// The name of the feed.
  public let feed: String
  /// The source that was read.
  public package(set) var source: String
  /// How the run ended.
  public let outcome: SyncOutcome
  /// The numbers of offers by what happened to them.
  public package(set) var counts: SyncCounts
  /// The size of the document in bytes, after decompression.
  public let bytes: Int
  /// When the run began.
  public let startedAt: Date
  /// The duration in seconds.
  public package(set) var durationSeconds: Double
  /// Why the run failed or was held back.
  public package(set) var error: OffersError?
  /// The first problems of skipped or mended records, at most `problemLimit`.
  package var problems: [ReadProblem]
  /// The number of records that were kept without an invalid part.
  public let mendedCount: Int
  /// The requests to the server; nil for a source that is not on a server.
  package let request: FetchSummary?
  /// New offers that are probably gone favorites under another id; only the first few.
  package var returned: [FavoriteSuccessor]
  /// Why the feed was not fetched; nil when it was fetched.
  public let skip: SyncSkip?
  /// When the feed should be synced next; nil when that is unknown.
  public package(set) var nextDueAt: Date?
  /// The removals, or the whole document, that the sync held back; nil if it held back neither, and for a
  /// run that was read from a store.
  public package(set) var held: HeldBack?
  /// The number of offers in the feed's list after the sync, if it held back any; otherwise nil.
  package var listedCount: Int?
  /// The number of offers that the sync kept because a person asked for it.
  package var keptCount = 0

  /// Creates a sync run of its parts; the properties describe them.
  package init(
    feed: String, source: String, outcome: SyncOutcome, counts: SyncCounts = SyncCounts(),
    bytes: Int, startedAt: Date, durationSeconds: Double, error: OffersError? = nil,
    problems: [ReadProblem] = [], mendedCount: Int = 0, request: FetchSummary? = nil,
    returned: [FavoriteSuccessor] = [], skip: SyncSkip? = nil, nextDueAt: Date? = nil
  ) {
    self.skip = skip
    self.nextDueAt = nextDueAt
    self.request = request
    self.returned = returned
    self.feed = feed
    self.source = source
    self.outcome = outcome
    self.counts = counts
    self.bytes = bytes
    self.startedAt = startedAt
    self.durationSeconds = durationSeconds
    self.error = error
    self.problems = problems
    self.mendedCount = mendedCount
  }

  /// How the run ended, in texts for people.
  package var word: String { error?.code == .noNetwork ? "no network" : outcome.word }

  /// A copy of the run with other counts.
  package func with(_ counts: SyncCounts) -> SyncRun { changed { $0.counts = counts } }

  /// A copy of the run with another error.
  package func with(_ error: OffersError?) -> SyncRun { changed { $0.error = error } }

  /// A copy of the run with what is known only after the write of its offers.
  ///
  /// - Parameters:
  ///   - problems: the problems of the records, those that the write has found included.
  ///   - returned: new offers that are probably gone favorites.
  package func completed(
    counts: SyncCounts, problems: [ReadProblem], returned: [FavoriteSuccessor],
    writeSeconds seconds: Double
  ) -> SyncRun {
    changed {
      $0.counts = counts
      $0.problems = problems
      $0.returned = returned
      $0.durationSeconds += seconds
    }
  }

  func changed(_ change: (inout SyncRun) -> Void) -> SyncRun {
    var run = self
    change(&run)
    return run
  }

  /// The most problems that a run keeps; the others are only counted.
  public static let problemLimit = 20
}

/// Why a feed was synced.
public enum SyncReason: String, Hashable, Sendable {
  /// A user asked for the sync.
  case asked
  /// The feed was due.
  case due
  /// A user asked for the sync although the server had requested a pause, or the feed was stopped.
  case forced
}

/// The requests of a sync run to a server.
package struct FetchSummary: Hashable, Sendable {
  /// Why the sync was made.
  package let reason: SyncReason
  /// The number of requests, including redirects and pages.
  package var requestCount = 0
  /// The HTTP status of the last response; nil when there was none.
  package var status: Int?
  /// Whether the request was conditional: the server was asked to send the document only if it is
  /// newer than the stored one.
  package var isConditional = false

  /// Creates a sync request of its parts; the properties describe them.
  package init(reason: SyncReason) {
    self.reason = reason
  }
}

/// Why a feed was not fetched.
public enum SyncSkip: Hashable, Sendable {
  /// The feed is not due.
  case fresh(until: Date)
  /// The last syncs failed; the next attempt is delayed (exponential back-off).
  case backOff(until: Date, failures: Int)
  /// The server requested a pause (Retry-After).
  case wait(until: Date)
  /// The server said that the feed is gone permanently (410 Gone).
  case stopped(since: Date)
  /// The feed has no source, or was read from standard input, which cannot be read again.
  case sourceless

  /// When the feed will be fetched again; nil when that takes an explicit request.
  public var until: Date? {
    switch self {
    case .fresh(let date), .backOff(let date, _), .wait(let date): date
    case .stopped, .sourceless: nil
    }
  }

  /// The name of the case in JSON output.
  public var name: String {
    switch self {
    case .fresh: "fresh"
    case .backOff: "back_off"
    case .wait: "server_wait"
    case .stopped: "stopped"
    case .sourceless: "no_source"
    }
  }
}

extension SyncRun {
  /// The run without the values in its addresses (`AddressRedaction`), as it is kept, shown and logged.
  package func hidingAddresses() -> SyncRun {
    changed {
      $0.source = AddressRedaction.hidden(in: source)
      $0.error = error.map { $0.hidingAddresses(with: source) }
    }
  }

  /// The run with `Hint.printed` as the hint of its error.
  package var withCommands: SyncRun { with(error?.withCommands) }
}

extension OffersError {
  /// The error without the values in the addresses of its texts.
  ///
  /// - Parameter source: a source that the texts may repeat, which may have spaces in it; nil for none.
  package func hidingAddresses(with source: String? = nil) -> OffersError {
    func hidden(_ text: String) -> String {
      let text =
        source.map { text.replacing(bytes: $0, with: AddressRedaction.hidden(in: $0)) } ?? text
      return AddressRedaction.hidden(inText: text)
    }
    return OffersError(
      code, hidden(message), hint: hint?.map(hidden), cause: cause.map(hidden)
    ).quoting(serverWords.map(hidden))
  }
}

extension JSONWriter {
  /// Writes a run in the form of `--json` and the API. `explains` adds the reason of the run, the
  /// server's answer and the time of the next sync; `more` writes further members.
  package mutating func value(
    _ run: SyncRun, explains: Bool = false, _ more: (inout JSONWriter) -> Void = { _ in }
  ) {
    object { json in
      json.member("feed", run.feed)
      json.member("outcome", run.outcome.rawValue)
      let counts = run.counts
      json.member("new", counts.new)
      json.member("changed", counts.changed)
      json.member("gone", counts.gone)
      json.member("back", counts.back)
      json.member("unchanged", counts.unchanged)
      json.member("skipped", counts.skipped)
      json.member("bytes", run.bytes)
      json.member("duration_seconds", number: Self.seconds(run.durationSeconds))
      json.member("error", run.error)
      more(&json)
      if explains { json.writeExplanation(of: run) }
    }
  }

  /// Writes a member whose value is a run, or null.
  package mutating func member(_ name: String, _ run: SyncRun?) {
    member(name) { json in if let run { json.value(run) } else { json.null() } }
  }

  private mutating func writeExplanation(of run: SyncRun) {
    member("reason", run.request?.reason.rawValue)
    member("status", run.request?.status)
    member("conditional", run.request?.isConditional)
    member("put_off", object: run.skip) { json, skip in
      json.member("why", skip.name)
      json.member("until", skip.until)
    }
    member("next_due_at", run.nextDueAt ?? run.skip?.until)
  }

  /// A duration in seconds with three decimals, never in exponent notation.
  private static func seconds(_ seconds: Double) -> String {
    let milliseconds = Int(clamped: (max(0, seconds) * 1000).rounded())
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

extension Hint {
  /// The command that syncs a feed from a source, or from its usual one if `source` is nil. Values in
  /// the source are hidden, because errors are stored and logged.
  package static func syncCommand(_ feed: String, from source: String?) -> String {
    "offers sync \(feed)"
      + (source.map { " --from " + ShellQuoting.word(AddressRedaction.hidden(in: $0)) } ?? "")
  }

  /// A hint that was stored as its text and its command. An object in the place of the command, as
  /// old runs have, is ignored: the text says what to do.
  package init(_ text: String, storedCommand: String?) {
    self.init(
      text,
      command: storedCommand.flatMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
    )
  }

  /// The JSON string by which stores keep the command.
  package var storedCommand: String? {
    command.map { command in
      var json = JSONWriter()
      json.value(command)
      return json.text
    }
  }
}

extension ReadProblem {
  /// The text by which stores keep the problems of a run: a JSON array, or nil without a problem.
  package static func storedText(of problems: [ReadProblem]) -> String? {
    if problems.isEmpty { return nil }
    var json = JSONWriter()
    json.array { json in
      for problem in problems {
        json.object { json in
          json.member("position", problem.position)
          json.member("effect", problem.effect.rawValue)
          json.member("reason", problem.reason)
        }
      }
    }
    return json.text
  }
}
