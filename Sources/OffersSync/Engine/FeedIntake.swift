import OffersCore

/// Owns the gate and the collector of one sync.
///
/// The stored offers are fetched only when parsing begins, so that a document that is recognized as
/// unchanged causes no scan of the store.
final class FeedIntake {
  let gate: DocumentGate
  private(set) var collector: DifferenceCollector?
  private let attempt: SyncAttempt
  private let store: any SyncStore

  init(attempt: SyncAttempt, store: any SyncStore) {
    self.attempt = attempt
    self.store = store
    gate = DocumentGate(
      seed: attempt.derivationSeed, known: attempt.documentToExpect, folder: store.scratchFolder)
  }

  /// Returns the collector. The first call creates it, and fetches the stored offers.
  func begin() async throws -> DifferenceCollector {
    if let collector { return collector }
    let feed = attempt.definition.name
    let known = try await store.fetchKnownOffers(of: feed)
    let hasPages = attempt.pages.hasPages
    let isSearch = attempt.options.query != nil
    let made = DifferenceCollector(
      known: known, definition: attempt.definition,
      derivationSeed: attempt.derivationSeed, folder: store.scratchFolder,
      hasPages: hasPages, isSearch: isSearch)
    collector = made
    return made
  }
}
