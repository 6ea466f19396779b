public import Foundation
internal import OffersFeeds
public import OffersStore

extension OffersDatabase {
  /// The watches of the user in the order in which they were added. One of a newer program is left out.
  public func fetchWatches() async throws(OffersError) -> [Watch] {
    try await fetchWatches(FilterTextParser())
  }

  /// Adds a watch. Each sync of a `SyncEngine` evaluates it, and writes a `Notice` when its rule applies; see
  /// `fetchNotices(of:after:limit:)`. The offers for which the rule holds now count as told.
  ///
  /// - Parameters:
  ///   - selection: words and filters, as people type them: `coffee reward:>=2 feed:ibotta -pod`.
  ///   - rule: when the user is told: `match`, `at-least $2`, `up 10%`, `best 30d`, `ending 48h`, …; nil for `match`.
  ///   - name: a name for people; nil for none.
  ///   - repeats: how often the user is told of the same offer.
  /// - Throws: `OffersError`: `invalidRequest` for a mistake in a text, a watch that the user has already, too many
  ///   watches, and one that would tell of each new offer of all feeds; `notFound` for an unknown feed.
  public func addWatch(
    _ selection: String, rule: String? = nil, name: String? = nil, repeats: Watch.Repeat = .onEntry
  ) async throws(OffersError) -> Watch {
    let reader = FilterTextParser()
    let draft = try OffersError.translating {
      try WatchDraft(
        name: name, selection: selection, rule: rule, repeats: repeats.rawValue, reader)
    }
    return try await putWatch(draft, reader)
  }

  /// Pauses a watch of the user, or resumes it, so that it begins anew.
  ///
  /// - Throws: `OffersError` with `notFound`.
  public func setWatch(_ id: Watch.ID, isPaused: Bool) async throws(OffersError) -> Watch {
    try await setWatch(id, isPaused: isPaused, FilterTextParser())
  }

  /// Writes the notices that are due as time passes and no feed changes: of offers that end, and reminders.
  ///
  /// - Returns: the number of notices that are new, of all users.
  @discardableResult
  public func lookAtWatches(now: Date = Date()) async throws(OffersError) -> Int {
    try await lookAtWatches(now: now, FilterTextParser())
  }
}

extension Notice {
  /// The text of the notice for people, to be placed behind `name`: `is up: $1.50, was $1.00`, without a full stop. Times
  /// in it are absolute.
  public var sentence: String { sentence(FilterTextParser(), at: nil) }
}
