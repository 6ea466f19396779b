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
  /// The number of consecutive syncs whose removals were held back.
  private(set) var heldCount = 0
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
  mutating func sync(_ found: ExpectedDocument, accepts: Bool) -> Result {
    if found.isUnreadable { return Result(outcome: .failed) }
    // To accept held removals, the document is requested without a condition.
    if let etag, etag == found.etag, !(accepts && heldCount > 0) {
      if heldCount > 0 { heldCount += 1 }
      return same(heldCount > 0 ? .quarantined : .unchanged)
    }
    if found.text == document {
      etag = found.etag
      return same(.unchanged)
    }
    if found.offers.isEmpty, !found.broken.isEmpty {
      return Result(outcome: .failed, counts: [0, 0, 0, 0, 0, found.broken.count])
    }
    return take(found, accepts: accepts)
  }

  private func same(_ outcome: SyncOutcome) -> Result {
    Result(outcome: outcome, counts: [0, 0, 0, 0, current.count, 0])
  }

  private mutating func take(_ found: ExpectedDocument, accepts: Bool) -> Result {
    let ids = Set(found.offers.keys)
    // An invalid record still proves that its offer is in the feed.
    let vanished = current.subtracting(ids).subtracting(found.broken)
    let isMuch = vanished.count > 10 && vanished.count * 10 > current.count
    let isAll = !vanished.isEmpty && ids.isEmpty
    let isHeld = !accepts && (isMuch || isAll)
    let isStrange = isHeld && current.count > 10 && vanished == current && !ids.isEmpty
    isSubscribed = true
    etag = found.etag
    document = isHeld ? nil : found.text
    heldCount = isHeld ? heldCount + 1 : 0
    var result = Result(outcome: isHeld ? .quarantined : .updated)
    result.counts[5] = found.broken.count
    if isStrange { return result }
    for (id, offer) in found.offers {
      let place =
        if known[id] == nil { 0 } else if !current.contains(id) { 3 } else if known[id] != offer {
          1
        } else { 4 }
      result.counts[place] += 1
      known[id] = offer
    }
    current.formUnion(ids)
    if !isHeld {
      result.counts[2] = vanished.count
      current.subtract(vanished)
    }
    return result
  }
}
