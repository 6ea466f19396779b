extension Offer {
  /// The size of the offer's texts in bytes of UTF-8, elements of lists included.
  package var textBytes: Int {
    var bytes = ref.feed.utf8.count + ref.offerID.utf8.count + (reward?.text.utf8.count ?? 0)
    for field in OfferField.texts { bytes += self[field]?.utf8.count ?? 0 }
    for category in categories { bytes += category.utf8.count }
    for attribute in attributes { bytes += attribute.label.utf8.count + attribute.value.utf8.count }
    return bytes
  }

  /// The offer with each text truncated to `limit` bytes, for lists of offers. Addresses are not
  /// truncated, but omitted above `OfferLimits.linkBytes`. Each list keeps its first elements, of
  /// at most 8 times `limit` bytes in total. Returns the offer itself if all its texts together fit
  /// into `limit`.
  package func abridged(toBytes limit: Int) -> Offer {
    let limit = max(0, limit)
    if textBytes <= limit { return self }
    func fit(_ text: String) -> String { OfferLimits.fit(text, within: limit) ?? text }
    func first<Element>(_ elements: [Element], _ bytes: (Element) -> Int) -> [Element] {
      var room = limit.multiplied(clamped: 8)
      return Array(
        elements.prefix {
          room -= bytes($0)
          return room >= 0
        })
    }
    var offer = self
    for field in OfferField.texts {
      guard let text = self[field] else { continue }
      if field.kind != .link {
        offer[field] = fit(text)
      } else if text.utf8.count > OfferLimits.linkBytes {
        offer[field] = nil
      }
    }
    offer.reward = reward?.abridged(toBytes: limit)
    offer.categories = first(
      categories.prefix(OfferLimits.categoryCount).map(fit), \.utf8.count)
    offer.attributes = first(
      attributes.prefix(2 * OfferLimits.attributeCount).map {
        OfferAttribute(label: fit($0.label), value: fit($0.value))
      }, { $0.label.utf8.count + $0.value.utf8.count })
    return offer
  }
}

extension Reward {
  /// The reward with its text truncated to `limit` bytes.
  package func abridged(toBytes limit: Int) -> Reward {
    OfferLimits.fit(text, within: limit).map { Reward(text: $0, value: value, isUpTo: isUpTo) }
      ?? self
  }
}
