/// A commit of this program that changed nothing but favorites of one user.
package struct FavoriteCommit: Sendable {
  /// The version of the data before the commit (`CommitSignal.fetchDataVersion()`).
  package let before: Int64
  /// The version of the data after it.
  package let after: Int64
  /// The user whose favorites they are.
  package let user: User.ID
  /// Whether each offer of the commit is a favorite since then.
  package let states: [OfferRef: Bool]

  package init(before: Int64, after: Int64, user: User.ID, states: [OfferRef: Bool]) {
    self.before = before
    self.after = after
    self.user = user
    self.states = states
  }
}
