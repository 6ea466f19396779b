import Foundation

extension JSONWriter {
  /// Writes an offer of the household in the form of `--json` and the API: the offer with the member
  /// `shared_by`.
  ///
  /// - Parameters:
  ///   - found: the offer to write.
  ///   - now: the time at which the offer counts as expired.
  package mutating func value(_ found: HouseholdOffer, at now: Date) {
    value(found.offer, at: now) { $0.member(sharersOf: found) }
  }

  /// Writes the member `shared_by`: the names of the users who share an offer, with the times, and no
  /// other data of theirs.
  package mutating func member(sharersOf found: HouseholdOffer) {
    member("shared_by", objects: found.sharers) { json, sharer in
      json.member("user", sharer.name)
      json.member("shared_at", sharer.sharedAt)
    }
  }
}
