/// The random keys with which servers protect what they hand to browsers. A store has one for each purpose, which
/// all its servers share. Exports do not contain them.
///
/// Every call may throw `OffersError` with `storageFailed`.
package protocol ServerKeyRepository: Sendable {
  /// The key for a purpose. If there is none, `candidate` is stored durably and is the key from then on, also
  /// for others who ask at the same time.
  ///
  /// - Parameters:
  ///   - purpose: the name of the purpose, such as `pending login`.
  ///   - candidate: 32 random bytes.
  func fetchServerKey(for purpose: String, orStore candidate: [UInt8]) async throws -> [UInt8]
}
