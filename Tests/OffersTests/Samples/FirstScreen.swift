// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Offers

/// A list that is empty at the first launch, then has what the last sync brought.
@MainActor final class FirstScreen {
  private(set) var offers: [UserOffer] = []
  /// The text in place of an empty list, or above one that could not be renewed.
  private(set) var notice: String?
  private let database: OffersDatabase
  private let engine: SyncEngine

  init(_ database: OffersDatabase, _ engine: SyncEngine) {
    (self.database, self.engine) = (database, engine)
  }

  func appear() async {
    do {
      offers = try await database.fetchOffers(OfferQuery(limit: 50))
      notice = offers.isEmpty ? "Getting the first offers …" : nil
      // Returns at once, without a request, unless the feed is due.
      _ = try await engine.sync("teas", options: SyncOptions(reason: .due))
      offers = try await database.fetchOffers(OfferQuery(limit: 50))
      notice = offers.isEmpty ? "The shop has no offers now." : nil
    } catch let error as OffersError {
      notice = [error.message, error.hint ?? ""].joined(separator: " ")
    } catch {
      // The screen was left, which cancelled its task.
    }
  }
}
// sample ends
