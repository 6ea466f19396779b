/// A user, with their recent searches and read marks. Their favorites are records of their own.
///
/// Secrets and what belongs to one installation are not exported: passphrases, sessions, tokens and
/// the time when the user was last seen.
package struct ExportedUser: Hashable, Sendable {
  /// A recent search.
  package struct Search: Hashable, Sendable {
    package var words: String
    /// The feed that was searched; nil for all.
    package var feed: String?
    package var searchedAt: Int64

    package init(words: String, feed: String?, searchedAt: Int64) {
      self.words = words
      self.feed = feed
      self.searchedAt = searchedAt
    }
  }

  /// The changes that a reader has seen: those of a number of runs.
  package struct Mark: Hashable, Sendable {
    package var reader: String
    /// The number of the last run in the document whose changes were all read, from 1; 0 for none.
    /// Numbers of changes differ between databases.
    package var run: Int
    package var readAt: Int64

    package init(reader: String, run: Int, readAt: Int64) {
      self.reader = reader
      self.run = run
      self.readAt = readAt
    }
  }

  package var name = ""
  package var role = User.Role.viewer
  /// Whether the user is the owner of the store.
  package var isOwner = false
  /// When the user was added; nil if a damaged or older database does not tell.
  package var createdAt: Int64?
  /// The latest first.
  package var searches: [Search] = []
  package var marks: [Mark] = []

  package init() {}
}

extension ExportedUser {
  /// A user without searches and read marks.
  package init(_ user: User) {
    self.init()
    name = user.name
    role = user.role
    isOwner = user.isOwner
    createdAt = user.createdAt.storedSeconds
  }
}

extension ExportedUser.Search {
  package init(_ search: RecentSearch) {
    self.init(
      words: search.words, feed: search.feed,
      searchedAt: search.searchedAt.storedSeconds)
  }
}
