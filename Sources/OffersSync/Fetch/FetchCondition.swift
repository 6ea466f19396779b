/// The condition of a request: the server sends the document only if it differs from the stored
/// one, and otherwise answers 304 (RFC 9110, section 13).
struct FetchCondition: Sendable {
  /// The validators of the stored document.
  let validators: Validators
  /// The `AddressMark` of the URL that the validators came from; they are sent to no other URL.
  let addressMark: String?

  /// No condition: an unconditional request.
  static let none = FetchCondition(validators: .none, addressMark: nil)

  /// Whether a request to a URL carries the condition.
  func applies(to address: String) -> Bool {
    !validators.isEmpty && AddressMark.of(address) == addressMark
  }
}
