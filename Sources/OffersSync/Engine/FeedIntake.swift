import OffersCore

/// Takes one feed in: compares what is read with what the store holds, and keeps what differs.
///
/// What the store holds is asked for only when there is something to compare with it.
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

  /// What takes the offers.
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
