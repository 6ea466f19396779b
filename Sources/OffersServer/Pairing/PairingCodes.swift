import Foundation
import OffersCore
import Synchronization

/// The pairing codes of this server process. They are in memory only, so that a restart voids them,
/// and in the form of authentication codes with a random key.
final class PairingCodes: Sendable {
  /// The time for which a code is valid, in seconds: ten minutes.
  static let validSeconds = 600.0
  /// The maximum number of codes of a user that are remembered, used and expired ones included. A
  /// further one takes the place of the user's oldest.
  static let limit = 8

  /// The result of looking up a typed pairing code.
  enum Finding: Sendable {
    /// A valid code, which is used up now.
    ///
    /// - Parameters:
    ///   - guest: the user whom the code logs in.
    ///   - maker: the visitor that had it made.
    case valid(guest: User.ID, maker: Visitor)
    case used
    case expired
    case unknown
  }

  private struct Entry {
    let code: [UInt8]
    let guest: User.ID
    let maker: Visitor
    let madeAt: Date
    var isUsed = false
  }

  /// The key; the error of libcrypto if there is none.
  private let key = Result { try HMACKey.random() }
  private let entries = Mutex<[Entry]>([])

  /// Makes a code.
  ///
  /// - Parameters:
  ///   - guest: the user whom the code logs in.
  ///   - maker: the visitor that asks for it. Whether the code is accepted depends on what the maker
  ///     may do by then (`VisitorAuthentication.pair`).
  ///   - now: the time, from which the code is valid for ten minutes.
  /// - Throws: `OffersError` if libcrypto fails.
  func make(for guest: User.ID, by maker: Visitor, now: Date) throws -> PairingCode {
    let code = try PairingCode()
    let entry = Entry(
      code: try authenticationCode(of: code), guest: guest, maker: maker, madeAt: now)
    entries.withLock { entries in
      let own = entries.indices.filter { entries[$0].guest == guest }
      if let oldest = own.first, own.count >= Self.limit { entries.remove(at: oldest) }
      entries.append(entry)
    }
    return code
  }

  /// Finds out what a typed code is. A valid one is used up.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func redeem(_ typed: String, now: Date) throws -> Finding {
    guard let code = PairingCode(typed) else { return .unknown }
    let shown = try authenticationCode(of: code)
    return entries.withLock { entries in
      // All are compared, in constant time each: the time tells nothing about any of them.
      let matches = entries.indices.filter { SecretBytes.areEqual(entries[$0].code, shown) }
      guard let index = matches.last else { return .unknown }
      if entries[index].isUsed { return .used }
      // A difference below zero comes from a clock that was set back.
      let seconds = now.timeIntervalSince(entries[index].madeAt)
      guard abs(seconds) < Self.validSeconds else { return .expired }
      entries[index].isUsed = true
      return .valid(guest: entries[index].guest, maker: entries[index].maker)
    }
  }

  private func authenticationCode(of code: PairingCode) throws -> [UInt8] {
    try key.get().code(of: Array(code.characters.utf8))
  }
}
