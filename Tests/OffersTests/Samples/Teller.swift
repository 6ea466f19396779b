// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Offers

/// Tells a person about new offers of coffee from $2, and about changed favorites.
@MainActor final class Teller {
  private let database: OffersDatabase
  /// The last notice that was shown. An app keeps it between its launches.
  private var last: Notice.ID?

  init(_ database: OffersDatabase) { self.database = database }

  func watchCoffee() async throws {
    if try await database.fetchWatches().isEmpty {
      _ = try await database.addWatch("coffee reward:>=2")
    }
  }

  /// The lines to show after a sync, the oldest first.
  func newLines() async throws -> [String] {
    // Offers end, and reminders are due, without a sync.
    try await database.lookAtWatches()
    let notices = try await database.fetchNotices(after: last)
    last = notices.first?.id ?? last
    return notices.reversed().map { "\($0.name) \($0.sentence)" }
  }
}
// sample ends
