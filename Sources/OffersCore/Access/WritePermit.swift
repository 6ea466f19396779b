/// The access of a user for whom a program writes, which the transaction of each write checks again: it may have
/// ended since the program has checked it.
package struct WritePermit: Sendable {
  /// By what the program knows the user, as far as the store has it.
  package enum Proof: Sendable {
    case session([UInt8])
    case token(APIToken.ID)
    /// Something outside of the store.
    case none
  }

  /// The permit of the writes of the current task; nil for a program that writes for nobody else.
  @TaskLocal package static var current: WritePermit?

  package let user: User.ID
  /// The role on which the program has decided.
  package let role: User.Role
  package let proof: Proof

  package init(user: User.ID, role: User.Role, proof: Proof) {
    self.user = user
    self.role = role
    self.proof = proof
  }
}

extension OffersError {
  /// Whether a write was refused because the access of its user has changed.
  package var isOfAccess: Bool { self == .accessEnded || self == .roleChanged }

  /// The refusal of a write whose session, token or user is there no more.
  package static let accessEnded = OffersError(
    .notFound, "This login has ended. Nothing was changed.", hint: "Log in again.")
  /// The refusal of a write for a user who has another role by now.
  package static let roleChanged = OffersError(
    .notFound, "Your rights have just been changed. Nothing was changed by this.",
    hint: "Try again.")
}
