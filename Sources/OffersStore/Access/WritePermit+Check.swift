import OffersCore

extension WritePermit {
  /// Checks that the user, their role and their session or token are as they were.
  ///
  /// - Parameter isExclusive: whether to lock the row of the user first. A transaction that changes the
  ///   role or the logins of a user locks it, too, so that none commits between this check and the end of
  ///   this transaction.
  /// - Throws: `OffersError.accessEnded`, or `.roleChanged`.
  func check(isExclusive: Bool = false, in transaction: any Transaction) throws {
    if isExclusive { try UserTable.lock(user, in: transaction) }
    let role = try UserTable.find(user, in: transaction)?.role
    guard let role, try isProven(in: transaction) else { throw OffersError.accessEnded }
    if role != self.role { throw OffersError.roleChanged }
  }

  private func isProven(in transaction: any Transaction) throws -> Bool {
    switch proof {
    case .session(let id): try SessionTable.find(id, in: transaction)?.user == user
    case .token(let id): try CredentialTable.hasToken(id, of: user, in: transaction)
    case .none: true
    }
  }
}

extension SessionGround {
  /// Checks that the ground of a login is true.
  ///
  /// - Throws: as `WritePermit.check`.
  func check(for user: User.ID, in transaction: any Transaction) throws {
    let isTrue: Bool
    switch self {
    case .passphrase(let hash):
      isTrue = try CredentialTable.findPassphrase(of: user, in: transaction) == hash
    case .identity(let identity):
      isTrue = try IdentityTable.findUser(with: identity, in: transaction) == user
    case .invitation(let permit): return try permit.check(in: transaction)
    case .token: return
    }
    guard isTrue else { throw OffersError.accessEnded }
  }
}

extension TransactionMode {
  /// The permit that a transaction checks first: that of the current task, for a write that is asked for.
  var permit: WritePermit? {
    switch self {
    case .write, .removal, .repeatableWrite, .favorites: WritePermit.current
    default: nil
    }
  }
}
