import OffersCore
import Synchronization

/// The known feeds of the last content of the file of definitions, so that a server parses the file
/// only when it has changed.
final class KnownFeedCache: Sendable {
  private let kept = Mutex<(yaml: String?, feeds: [KnownFeed])?>(nil)

  /// Returns the feeds of the content, which `parse` returns unless they are kept.
  func feeds(of yaml: String?, _ parse: () throws -> [KnownFeed]) rethrows -> [KnownFeed] {
    if let kept = kept.withLock({ $0 }), kept.yaml == yaml { return kept.feeds }
    let feeds = try parse()
    kept.withLock { $0 = (yaml, feeds) }
    return feeds
  }
}
