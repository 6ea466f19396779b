/// On what condition a server is asked for a document: only for something newer than the one there
/// is (RFC 9110, section 13).
struct FetchCondition: Sendable {
  /// What the server named that document's version by.
  let validators: Validators
  /// The mark of the address that gave them: no other is asked with them.
  let addressMark: String?

  /// Asks for the document itself.
  static let none = FetchCondition(validators: .none, addressMark: nil)

  /// Whether a request for this address has the condition.
  func applies(to address: String) -> Bool {
    !validators.isEmpty && AddressMark.of(address) == addressMark
  }
}
