/// Tells whether a store can be used now, for a load balancer that asks a server.
package protocol StoreReadiness: Sendable {
  /// Checks that the store can be reached, that its schema is the one that this program serves, and that a
  /// database on a server is not read-only. Each call reads from the store, and little.
  ///
  /// - Throws: `OffersError` with `storeUnreachable`, with `newerDatabase` for the schema of a newer
  ///   program, and otherwise with `storageFailed`; `CancellationError`.
  func checkReadiness() async throws
}
