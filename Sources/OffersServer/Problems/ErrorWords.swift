import OffersCore

/// The texts of an error on a page: one sentence for a person, and the error's technical message, which the
/// page shows below “Details”.
struct ErrorWords {
  let sentence: String
  let details: String?

  /// - Parameters:
  ///   - error: the error, whose message is a person's sentence unless it is about a source or a store.
  ///   - feed: the title of the feed whose source failed; nil if the error is no feed's.
  init(_ error: OffersError, ofFeed feed: String? = nil) {
    let sentence = Self.sentence(of: error.code, feed)
    self.sentence = sentence ?? error.message
    let details = (sentence == nil ? nil : error.message).map { [$0] } ?? []
    let text = (details + [error.hint].compactMap(\.self)).joined(separator: " ")
    self.details = text.isEmpty ? nil : text
  }

  /// The sentence for a code; nil for a code whose messages are written for people.
  private static func sentence(of code: OffersError.Code, _ feed: String?) -> String? {
    let source = feed.map { "The source of \($0)" } ?? "Another server"
    return switch code {
    case .sourceFailed: "\(source) does not answer as it should."
    case .notFound where feed != nil: "\(source) is not at its address any more."
    case .malformedFeed, .unexpectedShape: "\(source) sent something that cannot be read."
    case .noNetwork: "The server has no network at present."
    case .limitExceeded: "\(source) sent too much, or took too long."
    case .malformedImage: "This picture cannot be read."
    case .storageFailed: "The server could not read or store this just now."
    case .newerDatabase: "The data is of a newer version of this program."
    case .storeUnreachable: "The data cannot be reached at present."
    case .quarantined where feed != nil:
      "\(source) sent a document that does not look like its own."
    case .invalidRequest, .notFound, .ambiguous, .locked, .quarantined: nil
    }
  }
}
