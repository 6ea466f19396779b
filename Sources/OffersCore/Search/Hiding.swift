import Foundation

/// An offer, or the offers of a selection, that a user hides. They are left out of lists, searches, changes
/// and watches, except for favorites, which are never hidden.
public struct Hiding: Hashable, Sendable, Identifiable {
  /// The offers that are hidden.
  public enum Subject: Hashable, Sendable {
    /// One offer, whether it is stored or not.
    case offer(OfferRef)
    /// The offers of a selection by words, feeds, retailers and categories; those that are gone or expired, too.
    case selection(SelectionText)
  }

  /// The hidden offer or selection.
  public let subject: Subject
  /// The name of the offer; nil for a selection, and for an offer that is not stored.
  public let name: String?
  /// When it was hidden.
  public let createdAt: Date

  package init(_ subject: Subject, name: String? = nil, createdAt: Date) {
    (self.subject, self.name, self.createdAt) = (subject, name, createdAt)
  }

  /// The most selections that a user hides.
  public static let selectionLimit = 100
  /// The most single offers that a user hides.
  public static let offerLimit = 5000

  /// The subject as people type it: `ibotta:110579`, or the text of a selection.
  public var text: String {
    switch subject {
    case .offer(let ref): ref.description
    case .selection(let selection): selection.description
    }
  }

  public var id: String { text }

  /// Whether a typed text names it: one of its selection, without regard to case, or the reference or bare id of its offer.
  package func isNamed(_ typed: String) -> Bool {
    switch subject {
    case .offer(let ref): return ref.description == typed || ref.offerID == typed
    case .selection(let text):
      // A text that is no selection names none.
      guard let meant = try? SelectionText(parsing: typed).withoutOrder else { return false }
      return NaturalOrder.key(text.description) == NaturalOrder.key(meant.description)
    }
  }

  /// Whether another one hides the same.
  package func isSame(as other: Hiding) -> Bool {
    if case .selection = subject, case .selection = other.subject { return isNamed(other.text) }
    return subject == other.subject
  }
}

extension Hiding.Subject {
  /// The subject that the text of a selection means.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no selection, that has other filters than feeds,
  ///   retailers and categories, or that would hide all offers or all but some.
  package init(parsing typed: String) throws {
    let text = try SelectionText(parsing: typed).withoutOrder
    // An index of PostgreSQL takes no longer text.
    guard text.description.utf8.count <= 2000 else {
      throw OffersError(.invalidRequest, "What is hidden has at most 2,000 bytes.")
    }
    guard let selection = text.namedSelection else {
      throw OffersError(
        .invalidRequest, "“\(typed)” cannot be hidden.",
        hint: "Hide words, feed:, retailer: and category:, or one offer by its id.")
    }
    let words = try SearchWords(selection.words)
    let isBounded = selection.words.isEmpty || !words.unwanted.isEmpty
    guard !words.isEmpty || isBounded && selection.hasWantedName else {
      throw OffersError(
        .invalidRequest, typed.isEmpty ? "Nothing is named." : "“\(typed)” names nothing to hide.",
        hint: "Name words, feed:, retailer: or category:, or one offer by its id.")
    }
    self = .selection(text)
  }
}

extension Selection {
  /// Whether a feed, retailer or category is wanted.
  fileprivate var hasWantedName: Bool {
    [feeds, retailers, categories].contains { !$0.wanted.isEmpty }
  }
}

/// What a user hides, to test offers in memory.
package struct HiddenOffers: Sendable {
  private var refs: Set<OfferRef> = []
  private var matchers: [OfferMatcher] = []

  package init(_ subjects: [Hiding.Subject]) throws {
    for subject in subjects {
      switch subject {
      case .offer(let ref): refs.insert(ref)
      case .selection(let text):
        guard var selection = text.namedSelection else { continue }
        selection.includesExpired = true
        matchers.append(try OfferMatcher(selection, at: .distantPast))
      }
    }
  }

  /// Whether a current offer is hidden, unless it is a favorite.
  package func has(_ offer: OfferCandidate) -> Bool {
    refs.contains(offer.offer.ref)
      || matchers.contains { $0.matches(offer, isFavorite: false) }
  }
}
