import OffersCore

/// Derives passphrases for requests, a few at a time, each on a thread of its own.
///
/// Strangers get their turns by their wide networks, so that nobody who has many addresses keeps out the others.
/// Who is known, from a login before, does not wait for strangers.
struct PassphraseHasher: Sendable {
  /// Who waits for a derivation.
  enum Client: Sendable {
    /// A browser that is or was logged in as a user, or the network of one.
    case known(User.ID)
    case stranger(Peer)
  }

  let strangers = FairTurns<String>(
    limit: 2, keyLimit: 1, waitingLimit: 256, keyWaitingLimit: 4)
  private let known = FairTurns<User.ID>(
    limit: 1, keyLimit: 1, waitingLimit: 256, keyWaitingLimit: 4)
  private let cost: Passphrase.Cost

  /// - Parameter cost: the cost of new passphrases.
  init(cost: Passphrase.Cost) { self.cost = cost }

  /// Whether a text is a passphrase, as `Passphrase.matches`.
  ///
  /// - Throws: `OffersError.tooManyAtOnce`.
  func matches(
    _ text: String, _ stored: PassphraseHash?, for client: Client
  ) async throws -> Bool {
    let derive = { @Sendable [cost] in
      try await OwnThread.run { try Passphrase.matches(text, stored, cost: cost) }
    }
    return switch client {
    case .known(let user): try await known.run(for: user, derive)
    case .stranger(let peer): try await strangers.run(for: peer.wideNetwork, derive)
    }
  }

  /// The stored form of a new passphrase of a user who is logged in.
  ///
  /// - Throws: as `matches`.
  func hash(_ text: String, for user: User.ID) async throws -> PassphraseHash {
    try await known.run(for: user) { [cost] in
      try await OwnThread.run { try Passphrase.hash(text, cost: cost) }
    }
  }
}
