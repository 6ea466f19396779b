/// The login of a person at an OpenID provider: the provider's issuer identifier, and the subject
/// identifier that the provider gave the person (OpenID Connect Core 1.0, section 5.7). The provider
/// gives the subject to nobody else, unlike an e-mail address or a user name.
package struct Identity: Hashable, Sendable {
  /// The maximum length of an issuer, in bytes.
  package static let issuerLimit = 1024
  /// The maximum length of a subject, in bytes (OpenID Connect Core 1.0, section 2).
  package static let subjectLimit = 255

  /// The URL by which the provider calls itself, compared byte by byte.
  package let issuer: String
  /// The provider's name of the person, compared byte by byte.
  package let subject: String

  /// - Throws: `OffersError` with `invalidRequest` for a part that is empty or too long, or has a NUL
  ///   character, which not every database can store.
  package init(issuer: String, subject: String) throws {
    guard (1...Self.issuerLimit).contains(issuer.utf8.count),
      (1...Self.subjectLimit).contains(subject.utf8.count),
      !issuer.utf8.contains(0), !subject.utf8.contains(0)
    else {
      throw OffersError(.invalidRequest, "The provider's name of this person is not valid.")
    }
    self.issuer = issuer
    self.subject = subject
  }

  /// The refusal of an identity that another user has.
  package static var refusalOfTaken: OffersError {
    OffersError(
      .invalidRequest, "This login is connected to another user already.",
      hint: "Disconnect it there first, or log in there as somebody else.")
  }

  /// The refusal of a second identity of the same provider.
  package static var refusalOfSecond: OffersError {
    OffersError(
      .invalidRequest, "Another login of this provider is connected to you already.",
      hint: "Disconnect that one first.")
  }
}

/// Sends requests to an OpenID provider.
///
/// Both calls follow no redirect, have a deadline, and read a bounded number of bytes. They throw
/// `OffersError` with `sourceFailed` if there is no answer within these limits, or `CancellationError`.
package protocol OpenIDTransport: Sendable {
  /// Requests a JSON document by GET.
  func pull(_ url: String) async throws -> OpenIDResponse

  /// Sends form data by POST.
  ///
  /// - Parameters:
  ///   - form: the body, in the format application/x-www-form-urlencoded.
  ///   - authorization: the value of the field `Authorization`; nil for none.
  func post(_ form: String, to url: String, authorization: String?) async throws
    -> OpenIDResponse
}

/// The answer of an OpenID provider.
package struct OpenIDResponse: Hashable, Sendable {
  /// The HTTP status.
  package let status: Int
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// The stored form of a passphrase: the output of scrypt (RFC 7914) with its parameters.
package struct PassphraseHash: Hashable, Sendable {
  /// The random salt, 16 bytes.
  package let salt: [UInt8]
  /// The cost N, a power of two. A derivation needs 128 · N · `blockSize` bytes.
  package let rounds: Int
  package let blockSize: Int
  package let parallelism: Int
  /// The derived key, 32 bytes.
  package let hash: [UInt8]

  package init(salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, hash: [UInt8]) {
    self.salt = salt
    self.rounds = rounds
    self.blockSize = blockSize
    self.parallelism = parallelism
    self.hash = hash
  }
}
