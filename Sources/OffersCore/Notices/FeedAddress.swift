public import Foundation

/// An address with a secret at which feed readers and calendars read news of a user without a login.
///
/// The secret opens nothing else. It is shown once, when the address is added, and stored as its SHA-256 only.
public struct FeedAddress: Hashable, Sendable, Identifiable {
  /// Of what an address tells.
  public enum Subject: Hashable, Sendable, CustomStringConvertible {
    /// All notices of the user; as a calendar, the ends of favorites and of what watches select.
    case news
    /// The notices of a watch; as a calendar, the ends of the offers that it selects.
    case watch(Watch.ID)
    /// The changes of a feed; as a calendar, the ends of its offers.
    case feed(String)

    /// The text as it is stored: `news`, `watch 3`, `feed ibotta`.
    public var description: String {
      switch self {
      case .news: "news"
      case .watch(let id): "watch \(id)"
      case .feed(let name): "feed \(name)"
      }
    }

    /// Parses a description; nil for another text.
    package init?(parsing text: String) {
      let words = text.split(scalar: " ").map(String.init)
      switch (words.first, words.count) {
      case ("news", 1): self = .news
      case ("watch", 2):
        guard let id = Watch.ID(words[1]) else { return nil }
        self = .watch(id)
      case ("feed", 2): self = .feed(words[1])
      default: return nil
      }
    }
  }

  /// The number of the address.
  public let id: Int64
  /// The user whose news they are.
  public let user: User.ID
  /// Of what it tells.
  public let subject: Subject
  /// When the address was added.
  public let createdAt: Date
  /// When it was last read, to the hour; nil for never.
  public let lastUsedAt: Date?

  package init(
    id: Int64, user: User.ID, subject: Subject, createdAt: Date, lastUsedAt: Date?
  ) {
    self.id = id
    self.user = user
    self.subject = subject
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }

  /// The most addresses of a user.
  package static let limit = 50

  private static let folder = "out"

  /// The path of a document below the base path of a server.
  package static func path(_ secret: String, _ format: NoticeFeed.Format) -> String {
    "/\(folder)/\(secret)/\(format.fileName)"
  }

  /// Whether a path below the base path of a server is that of such a document.
  package static func isPath(_ path: String) -> Bool { path.hasPrefix("/\(folder)/") }

  /// A path in which the secret is replaced, with the base path or without it.
  package static func hidingSecret(in path: String) -> String {
    var isBehindFolder = false
    return path.split(scalar: "/", omittingEmptySubsequences: false).map { part in
      if part.isEmpty { return "" }
      defer { isBehindFolder = part.lowercased() == folder }
      return isBehindFolder ? "…" : String(part)
    }.joined(separator: "/")
  }
}
