extension JSONWriter {
  /// Writes a change in the form of `--json` and the API.
  package mutating func value(_ change: OfferChange) {
    object { json in
      json.member("at", change.at)
      json.member("kind", change.kind.rawValue)
      json.member("feed", change.feed)
      json.member("ref", change.offer?.ref.description)
      json.member("name", change.offer?.name)
      json.member("favorite", change.offer?.isFavorite ?? false)
      json.member("offers", change.offerCount)
      json.member("from", change.oldReward, of: change.feed)
      json.member("to", change.newReward, of: change.feed)
      json.member("fields", each: change.fields) { $0.value($1) }
      json.member(texts: change.texts)
      json.member("returned_favorite", change.returned?.description)
    }
  }

  /// Writes the history of an offer's reward.
  package mutating func value(historyOf offer: Offer, _ points: [RewardPoint]) {
    object { $0.members(historyOf: offer, points) }
  }

  /// Writes the members of the history of an offer's reward.
  package mutating func members(historyOf offer: Offer, _ points: [RewardPoint]) {
    member("ref", offer.ref.description)
    member("name", offer.name)
    member("points", objects: points) { json, point in
      json.member("at", point.at)
      json.member("event", point.event.rawValue)
      json.member("reward", point.reward, of: offer.ref.feed)
      json.member(texts: point.texts)
    }
  }

  private mutating func member(texts: [TextChange]) {
    member("texts", objects: texts) { json, text in
      json.member("field", text.field)
      json.member("from", text.old)
      json.member("to", text.new)
    }
  }
}
