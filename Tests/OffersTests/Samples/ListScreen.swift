// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Offers

/// A list of offers that is empty at the first launch, and then always shows what is stored.
@MainActor final class ListScreen {
  private(set) var offers: [UserOffer] = []
  /// The text in place of an empty list, or above one that could not be renewed.
  private(set) var notice: String?
  private let database: OffersDatabase
  private let engine: SyncEngine

  init(_ database: OffersDatabase, _ engine: SyncEngine) {
    (self.database, self.engine) = (database, engine)
  }

  /// Shows the first offers, and each change of them, until the task is cancelled. A person who scrolls to
  /// the end cancels it, and begins another one with more.
  func show(_ count: Int = 50) async {
    for await offers in database.updates(of: OfferQuery(limit: count)) { self.offers = offers }
  }

  /// Gets new offers, which the loop above shows.
  func refresh() async {
    do {
      notice = "Getting the offers …"
      // Returns at once, without a request, unless the feed is due.
      _ = try await engine.sync("teas", options: SyncOptions(reason: .due))
      let count = try await database.countOffers(OfferQuery())
      notice = count == 0 ? "The shop has no offers now." : nil
    } catch {
      // A screen that was left has cancelled its task.
      if error.code == .cancelled { return }
      notice = [error.message, error.hint?.text ?? ""].joined(separator: " ")
    }
  }
}
// sample ends
