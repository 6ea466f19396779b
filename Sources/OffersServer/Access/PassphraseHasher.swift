import OffersCore

/// Derives passphrases for requests, two at a time, each on a thread of its own.
struct PassphraseHasher: Sendable {
  private let turns = Turns(2, waitingLimit: 32)
  private let cost: Passphrase.Cost

  /// - Parameter cost: the cost of new passphrases.
  init(cost: Passphrase.Cost) { self.cost = cost }

  /// Whether a text is a passphrase, as `Passphrase.matches`.
  ///
  /// - Throws: `Problem` with status 503 if too many wait.
  func matches(_ text: String, _ stored: PassphraseHash?) async throws -> Bool {
    try await turns.take { [cost] in
      try await OwnThread.run { try Passphrase.matches(text, stored, cost: cost) }
    }
  }

  /// The stored form of a new passphrase.
  func hash(_ text: String) async throws -> PassphraseHash {
    try await turns.take { [cost] in
      try await OwnThread.run { try Passphrase.hash(text, cost: cost) }
    }
  }
}
