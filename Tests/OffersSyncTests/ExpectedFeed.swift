import OffersCore

/// An offer as the sequences know it.
struct ExpectedOffer: Equatable {
  var name: String
  var reward: String

  init(name: String, reward: String) {
    self.name = name
    self.reward = reward
  }

  init(_ offer: Offer) {
    name = offer.name
    reward = offer.reward?.text ?? ""
  }
}

/// What a document says.
struct ExpectedDocument {
  /// Its bytes, by which it is known again.
  let text: String
  /// What the server vouches for it by; nil for a server that does not.
  let etag: String?
  var offers: [Int: ExpectedOffer] = [:]
  /// The ids of records that can be told but not read.
  var broken: Set<Int> = []
  /// Whether it, or the way to it, is broken as a whole.
  var isUnreadable = false
}

/// What the database should hold of one feed after a sequence of syncs and stars, by the rules
/// that people are told, put as plainly as they can be.
struct ExpectedFeed: Equatable {
  /// All offers that ever came, as they were last.
  private(set) var known: [Int: ExpectedOffer] = [:]
  private(set) var current: Set<Int> = []
  private(set) var favorites: Set<Int> = []
  /// How many syncs in a row have had their removals held back.
  private(set) var heldCount = 0
  /// The validator that the next request should carry.
  private(set) var etag: String?
  /// The document that the offers are exactly.
  private var document: String?
  /// False until a sync has worked.
  private(set) var isSubscribed = false

  /// How a sync should end, and what it should count.
  struct Result: Equatable {
    var outcome: SyncOutcome
    /// New, changed, gone, back, unchanged, skipped.
    var counts = [0, 0, 0, 0, 0, 0]
  }

  mutating func star(_ id: Int, _ isFavorite: Bool) {
    if isFavorite { favorites.insert(id) } else { favorites.remove(id) }
  }

  /// What a sync that is answered by this document should do.
  mutating func sync(_ found: ExpectedDocument, accepts: Bool) -> Result {
    if found.isUnreadable { return Result(outcome: .failed) }
    // What is to be taken although it was held back is asked for whole.
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
    // A broken record says at least that its offer is still there.
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
