/// A version of the data, and what has changed since the one before it in the same stream.
public struct DataCommit: Hashable, Sendable {
  /// The version, as `OffersDatabase.fetchDataVersion()` tells it.
  public let version: Int64
  /// What has changed, if that is favorites and pictures only; nil for anything else, for the first version
  /// of a stream, and where it is not known, as of the commits of other processes.
  public let changes: DataChanges?

  /// Creates a commit; the properties describe the parameters.
  public init(version: Int64, changes: DataChanges? = nil) {
    self.version = version
    self.changes = changes
  }

  /// Whether offers, or what a user has marked of them, may have changed: not if only pictures were stored.
  public var concernsOffers: Bool { changes.map { !$0.favorites.isEmpty } ?? true }

  /// The later of two commits, with the changes of both.
  package func followed(by next: DataCommit) -> DataCommit {
    DataCommit(
      version: next.version,
      changes: changes.flatMap { own in next.changes.map { own.followed(by: $0) } })
  }
}

/// Changes of favorites and of the cache of pictures.
public struct DataChanges: Hashable, Sendable {
  /// The favorites that changed, by the user whose they are, each with whether it is a favorite since then.
  public var favorites: [User.ID: [OfferRef: Bool]]
  /// Whether pictures, or what is known of them, changed.
  public var hasPictures: Bool

  /// Creates changes; the properties describe the parameters.
  public init(favorites: [User.ID: [OfferRef: Bool]] = [:], hasPictures: Bool = false) {
    self.favorites = favorites
    self.hasPictures = hasPictures
  }

  /// The changes of pictures alone.
  package static let pictures = DataChanges(hasPictures: true)

  package func followed(by next: DataChanges) -> DataChanges {
    DataChanges(
      favorites: favorites.merging(next.favorites) { $0.merging($1) { $1 } },
      hasPictures: hasPictures || next.hasPictures)
  }

  /// The number of favorites.
  fileprivate var count: Int { favorites.values.reduce(0) { $0 + $1.count } }
}

/// The last commits of this program that changed nothing but favorites and pictures.
package struct KnownCommits: Sendable {
  /// A commit, with the versions of the data before and after it.
  package struct Element: Sendable {
    let before: Int64
    let after: Int64
    let changes: DataChanges

    package init(before: Int64, after: Int64, changes: DataChanges) {
      (self.before, self.after, self.changes) = (before, after, changes)
    }
  }

  /// Oldest first.
  private var commits: [Element] = []

  /// The maximum numbers of commits that are remembered, and of favorites in each.
  private static let commitLimit = 64
  private static let favoriteLimit = 100

  package init() {}

  package mutating func add(_ commit: Element) {
    if commit.changes.count > Self.favoriteLimit { return }
    if commits.count == Self.commitLimit { commits.removeFirst() }
    commits.append(commit)
  }

  /// The changes between two versions of the data; nil if they are not known, or others than these.
  package func findChanges(after first: Int64, through last: Int64) -> DataChanges? {
    var version = first
    var changes = DataChanges()
    for commit in commits where commit.before == version {
      if version == last { break }
      version = commit.after
      changes = changes.followed(by: commit.changes)
    }
    return version == last ? changes : nil
  }
}
