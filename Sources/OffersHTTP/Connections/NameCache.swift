import OffersCore
import OffersPlatform
import OffersSync

/// Resolves names, and keeps their addresses for a minute.
actor NameCache {
  /// How long addresses are kept, in seconds.
  private static let keepSeconds = 60.0
  /// The most names that are kept.
  private static let mostNames = 256

  private struct Entry {
    let addresses: [NetworkAddress]
    let found: ContinuousClock.Instant
  }

  private let lookUp: HTTPConnections.LookUp
  private var entries: [String: Entry] = [:]

  init(_ lookUp: @escaping HTTPConnections.LookUp) { self.lookUp = lookUp }

  /// The addresses of a name. Callers that ask for a name at the same time look it up each on their own,
  /// so that one that is cancelled does not wait, and fails no other.
  ///
  /// - Throws: `TransportFailure` if it cannot be resolved, or not in time.
  func find(_ name: String) async throws -> [NetworkAddress] {
    if let entry = entries[name], .now - entry.found < .seconds(Self.keepSeconds) {
      return entry.addresses
    }
    let addresses = try await Self.resolve(name, lookUp)
    if entries.count >= Self.mostNames { entries = [:] }
    entries[name] = Entry(addresses: addresses, found: .now)
    return addresses
  }

  private static func resolve(
    _ name: String, _ lookUp: @escaping HTTPConnections.LookUp
  ) async throws -> [NetworkAddress] {
    try await Timeout.run(seconds: HostAddresses.lookUpSeconds) {
      try await lookUp(name)
    } late: {
      HostAddresses.late(name)
    }
  }
}
