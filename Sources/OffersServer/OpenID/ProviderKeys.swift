import Foundation
import JWTKit
import OffersCore

/// The public keys with which a provider signs ID tokens (RFC 7517).
struct ProviderKeys: Sendable {
  /// The algorithms that are accepted: signatures with public keys only. With `none` or a shared secret
  /// (`HS256`), others than the provider could make tokens.
  private static let algorithms: [JWK.Algorithm] = [
    .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .eddsa,
  ]
  private static let mostKeys = 100

  private let keys: [JWK]

  /// Reads a set of keys.
  ///
  /// - Throws: a `DecodingError` for a text that is no set.
  init(json: [UInt8]) throws {
    let set = try JSONDecoder().decode(KeySet.self, from: Data(json))
    keys = set.keys.prefix(Self.mostKeys).compactMap(\.key)
  }

  /// The algorithm that a token names, if it is accepted.
  static func algorithm(_ name: String?) -> JWK.Algorithm? {
    algorithms.first { $0.rawValue == name }
  }

  /// The key of a token.
  ///
  /// - Parameters:
  ///   - identifier: the key's name in the token; nil for a token without one, which is only clear if
  ///     the provider has one key for the algorithm.
  ///   - algorithm: the algorithm that the token names.
  /// - Returns: the key, for this algorithm only; nil if there is none, or several.
  func find(_ identifier: String?, for algorithm: JWK.Algorithm) -> JWK? {
    let type: JWK.KeyType =
      switch algorithm.rawValue.prefix(2) {
      case "RS", "PS": .rsa
      case "ES": .ecdsa
      default: .octetKeyPair
      }
    let found = keys.filter { key in
      key.keyType == type && (key.algorithm ?? algorithm) == algorithm
        && (identifier == nil || key.keyIdentifier?.string == identifier)
    }
    guard found.count == 1, var key = found.first else { return nil }
    key.algorithm = algorithm
    return key
  }

  private struct KeySet: Decodable {
    let keys: [Entry]
  }

  /// A key; nil for one that is not for signatures, or of a kind that is not known.
  private struct Entry: Decodable {
    let key: JWK?

    private enum CodingKeys: String, CodingKey { case use }

    init(from decoder: any Decoder) throws {
      let use = try decoder.container(keyedBy: CodingKeys.self)
        .decodeIfPresent(String.self, forKey: .use)
      // A set may have keys of kinds that this program does not know: no token is checked with them.
      key = use ?? "sig" == "sig" ? try? JWK(from: decoder) : nil
    }
  }
}
