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
  ///   - url: the address of the provider.
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
