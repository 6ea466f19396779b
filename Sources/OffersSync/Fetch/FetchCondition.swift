/// The precondition of a request: a document that differs from the stored one (RFC 9110,
/// section 13).
struct FetchCondition: Sendable {
  /// The validators of the stored document.
  let validators: Validators
  /// The mark of the address that the validators came from; they are sent to no other address.
  let addressMark: String?

  /// No condition: an unconditional request.
  static let none = FetchCondition(validators: .none, addressMark: nil)

  /// Whether a request to this address carries the condition.
  func applies(to address: String) -> Bool {
    !validators.isEmpty && AddressMark.of(address) == addressMark
  }
}
