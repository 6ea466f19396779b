import OffersCore
import OffersPlatform
import OffersSync

/// Resolves names, and keeps their addresses for a minute.
actor NameCache {
  /// How long addresses are kept, in seconds.
  private static let keepSeconds = 60.0
  /// The most names that are kept.
  private static let mostNames = 256
  /// The most addresses of a name that are tried.
  private static let mostAddresses = 4

  private struct Name: Hashable {
    let text: String
    let port: Int
  }

  private struct Entry {
    let addresses: Task<[NetworkAddress], any Error>
    let begun: ContinuousClock.Instant
  }

  private let lookUp: HTTPConnections.LookUp
  private var entries: [Name: Entry] = [:]

  init(_ lookUp: @escaping HTTPConnections.LookUp) { self.lookUp = lookUp }

  /// The first addresses of a name.
  ///
  /// - Throws: `OffersError` with `sourceFailed` if it cannot be resolved, or not in time.
  func find(_ text: String, _ port: Int) async throws -> [NetworkAddress] {
    let name = Name(text: text, port: port)
    let now = ContinuousClock.now
    if let entry = entries[name], now - entry.begun < .seconds(Self.keepSeconds) {
      return try await entry.addresses.value
    }
    if entries.count >= Self.mostNames { entries = [:] }
    let task = Task { [lookUp] in try await Self.resolve(name, lookUp) }
    entries[name] = Entry(addresses: task, begun: now)
    do {
      return try await task.value
    } catch {
      entries[name] = nil
      throw error
    }
  }

  private static func resolve(
    _ name: Name, _ lookUp: @escaping HTTPConnections.LookUp
  ) async throws -> [NetworkAddress] {
    let all = try await Timeout.run(seconds: HostAddresses.lookUpSeconds) {
      try await lookUp(name.text, name.port)
    } late: {
      OffersError(
        .sourceFailed, "The host name \(name.text) could not be resolved in time.",
        hint: "Nothing was changed. Check the network, then sync again.")
    }
    return all
  }
}
