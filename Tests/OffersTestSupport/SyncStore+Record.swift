import OffersCore

extension SyncStore {
  /// Records a run that changes neither an offer nor how the offers of its feed are shown.
  package func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?
  ) async throws {
    try await record(run, remember: source, fetch: fetch, presentation: nil)
  }
}
