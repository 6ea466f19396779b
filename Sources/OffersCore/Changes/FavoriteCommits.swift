/// The last commits of this program that changed nothing but favorites.
package struct FavoriteCommits: Sendable {
  /// Oldest first.
  private var commits: [FavoriteCommit] = []

  /// The maximum numbers of commits that are remembered, and of offers in each.
  private static let commitLimit = 64
  private static let offerLimit = 100

  package init() {}

  package mutating func add(_ commit: FavoriteCommit) {
    if commit.states.count > Self.offerLimit { return }
    if commits.count == Self.commitLimit { commits.removeFirst() }
    commits.append(commit)
  }

  /// The favorites that changed between two versions of the data, as `CommitSignal` has them.
  package func findChanges(after first: Int64, through last: Int64) -> [User.ID: [OfferRef: Bool]]?
  {
    var version = first
    var changes: [User.ID: [OfferRef: Bool]] = [:]
    for commit in commits where commit.before == version {
      if version == last { break }
      version = commit.after
      changes[commit.user, default: [:]].merge(commit.states) { $1 }
    }
    return version == last ? changes : nil
  }
}
