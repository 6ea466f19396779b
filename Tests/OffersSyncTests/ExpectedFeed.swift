import OffersCore

/// An offer in the model.
struct ExpectedOffer: Equatable {
  var name: String
  var reward: String

  init(name: String, reward: String) {
    self.name = name
    self.reward = reward
  }

  init(_ offer: UserOffer) {
    name = offer.name
    reward = offer.reward?.text ?? ""
  }
}

/// A document of the simulated server.
struct ExpectedDocument {
  /// The bytes, which identify the document.
  let text: String
  /// The validator; nil for a server without validators.
  let etag: String?
  var offers: [Int: ExpectedOffer] = [:]
  /// The ids of records that are invalid but identifiable.
  var broken: Set<Int> = []
  /// Whether the document or its transfer is broken as a whole.
  var isUnreadable = false
}

/// The expected state of one feed after a sequence of syncs and favorites, by the documented rules
/// in their simplest form.
struct ExpectedFeed: Equatable {
  /// All offers ever received, in their last state.
  private(set) var known: [Int: ExpectedOffer] = [:]
  private(set) var current: Set<Int> = []
  private(set) var favorites: Set<Int> = []
  /// The current offers whose removal is held back, with the hour in which they were first missed.
  private(set) var missing: [Int: Int] = [:]
  /// The validator expected in the next request.
  private(set) var etag: String?
  /// The document whose offers are exactly those stored.
  private var document: String?
  /// False until a sync has succeeded.
  private(set) var isSubscribed = false

  /// The expected outcome and counts of a sync.
  struct Result: Equatable {
    var outcome: SyncOutcome
    /// New, changed, gone, back, unchanged, skipped.
    var counts = [0, 0, 0, 0, 0, 0]
  }

  mutating func star(_ id: Int, _ isFavorite: Bool) {
    if isFavorite { favorites.insert(id) } else { favorites.remove(id) }
  }

  /// Applies the expected effect of a sync that receives this document.
  mutating func sync(_ found: ExpectedDocument, accepts: Bool, hour: Int) -> Result {
    if found.isUnreadable { return Result(outcome: .failed) }
    // To accept held removals, the document is requested without a condition.
    let isNotModified = etag != nil && etag == found.etag && !(accepts && !missing.isEmpty)
    if isNotModified || found.text == document {
      etag = found.etag
      return same(accepts: accepts, hour: hour)
    }
    if found.offers.isEmpty, !found.broken.isEmpty {
      return Result(outcome: .failed, counts: [0, 0, 0, 0, 0, found.broken.count])
    }
    return take(found, accepts: accepts, hour: hour)
  }

  /// The document of the last sync again, which may confirm that offers are gone.
  private mutating func same(accepts: Bool, hour: Int) -> Result {
    if missing.isEmpty {
      return Result(outcome: .unchanged, counts: [0, 0, 0, 0, current.count, 0])
    }
    let isEmpty = missing.count == current.count
    let unchanged = current.count - missing.count
    let gone = remove(Set(missing.keys), isEmpty: isEmpty, accepts: accepts, hour: hour)
    let isHeldBack = isEmpty && !missing.isEmpty
    return Result(
      outcome: isHeldBack ? .heldBack : .updated,
      counts: [0, 0, gone.count, 0, unchanged, 0])
  }

  /// Removes offers that a document lacks, or marks them as missing.
  ///
  /// - Returns: those that were removed.
  private mutating func remove(
    _ vanished: Set<Int>, isEmpty: Bool, accepts: Bool, hour: Int
  ) -> Set<Int> {
    let since = Dictionary(uniqueKeysWithValues: vanished.map { ($0, missing[$0] ?? hour) })
    let confirmed = since.filter { hour - $0.value >= (isEmpty ? 72 : 6) }
    let waiting = since.count - confirmed.count
    let new = vanished.filter { missing[$0] == nil }
    let rest = current.count - confirmed.count
    let isMuch =
      waiting > 0 && waiting == rest || waiting > 10 && waiting * 10 > rest
      || new.count == current.count - missing.count
    var gone = vanished
    if !accepts, isEmpty, waiting > 0 {
      gone = []
    } else if !accepts {
      gone = Set(confirmed.keys).union(isMuch ? [] : new)
    }
    missing = since.filter { !gone.contains($0.key) }
    current.subtract(gone)
    return gone
  }

  private mutating func take(_ found: ExpectedDocument, accepts: Bool, hour: Int) -> Result {
    let ids = Set(found.offers.keys)
    isSubscribed = true
    etag = found.etag
    document = found.text
    let before = current
    // An invalid record still proves that its offer is in the feed.
    let gone = remove(
      current.subtracting(ids).subtracting(found.broken), isEmpty: ids.isEmpty, accepts: accepts,
      hour: hour)
    var result = Result(outcome: ids.isEmpty && !missing.isEmpty ? .heldBack : .updated)
    result.counts[2] = gone.count
    result.counts[5] = found.broken.count
    for (id, offer) in found.offers {
      let place =
        if known[id] == nil { 0 } else if !before.contains(id) { 3 } else if known[id] != offer {
          1
        } else { 4 }
      result.counts[place] += 1
      known[id] = offer
    }
    current.formUnion(ids)
    return result
  }
}
