// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Offers

/// A list that is empty at the first launch, then has what the last sync brought, page after page.
@MainActor final class FirstScreen {
  private(set) var offers: [UserOffer] = []
  /// Where the list goes on behind `offers`; nil if it does not.
  private(set) var next: OfferPosition?
  /// The text in place of an empty list, or above one that could not be renewed.
  private(set) var notice: String?
  private let database: OffersDatabase
  private let engine: SyncEngine

  init(_ database: OffersDatabase, _ engine: SyncEngine) {
    (self.database, self.engine) = (database, engine)
  }

  func appear() async {
    do {
      try await show(50)
      notice = offers.isEmpty ? "Getting the first offers …" : nil
      // Returns at once, without a request, unless the feed is due.
      _ = try await engine.sync("teas", options: SyncOptions(reason: .due))
      try await show(50)
      notice = offers.isEmpty ? "The shop has no offers now." : nil
    } catch let error as OffersError {
      notice = [error.message, error.hint?.text ?? ""].joined(separator: " ")
    } catch {
      // The screen was left, which cancelled its task.
    }
  }

  /// Reads the list again after each commit of any process, until the task is cancelled. A stored picture
  /// changes no list.
  func follow() async throws {
    for await commit in database.commits where commit.concernsOffers {
      try await show(max(50, offers.count))
    }
  }

  /// Reads the next page. Its position is stable while offers come and go.
  func readOn() async throws {
    guard let next else { return }
    let page = try await database.fetchOfferPage(OfferQuery(limit: 50, after: next))
    offers += page.offers
    self.next = page.next
  }

  private func show(_ count: Int) async throws {
    let page = try await database.fetchOfferPage(OfferQuery(limit: count))
    (offers, next) = (page.offers, page.next)
  }
}
// sample ends
