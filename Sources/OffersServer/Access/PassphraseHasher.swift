import Foundation
import OffersCore

/// Derives passphrases for requests, two at a time.
///
/// Each derivation has a thread of its own. The threads of Swift's pool and of Dispatch's global queues are
/// as many as the cores, and answer the other requests.
struct PassphraseHasher: Sendable {
  private let turns = Turns(2, waitingLimit: 32)
  private let cost: Passphrase.Cost

  /// - Parameter cost: the cost of new passphrases.
  init(cost: Passphrase.Cost) { self.cost = cost }

  /// Whether a text is a passphrase, as `Passphrase.matches`.
  ///
  /// - Throws: `Problem` with status 503 if too many wait.
  func matches(_ text: String, _ stored: PassphraseHash?) async throws -> Bool {
    try await run { [cost] in try Passphrase.matches(text, stored, cost: cost) }
  }

  /// The stored form of a new passphrase.
  func hash(_ text: String) async throws -> PassphraseHash {
    try await run { [cost] in try Passphrase.hash(text, cost: cost) }
  }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await turns.take {
      try await withCheckedThrowingContinuation { answer in
        Thread.detachNewThread { answer.resume(with: Result(catching: body)) }
      }
    }
  }
}
