extension Offer {
  /// The size of the offer's texts in bytes of UTF-8, elements of lists included.
  package var textBytes: Int {
    var bytes = name.utf8.count + ref.feed.utf8.count + ref.offerID.utf8.count
    for text in [description, terms, reward?.text, imageURLText, urlText, retailer] {
      if let text { bytes += text.utf8.count }
    }
    for category in categories { bytes += category.utf8.count }
    for attribute in attributes { bytes += attribute.label.utf8.count + attribute.value.utf8.count }
    return bytes
  }

  /// The offer with each text truncated to `limit` bytes, for lists of offers. Addresses are not
  /// truncated, but omitted above `OfferLimits.linkBytes`. Each list keeps its first elements, of
  /// at most 8 times `limit` bytes in total. Returns the offer itself if all its texts together fit
  /// into `limit`.
  package func abridged(toBytes limit: Int) -> Offer {
    if textBytes <= limit { return self }
    func fit(_ text: String) -> String { OfferLimits.fit(text, within: limit) ?? text }
    func address(_ text: String?) -> String? {
      text.flatMap { $0.utf8.count > OfferLimits.linkBytes ? nil : $0 }
    }
    func first<Element>(_ elements: [Element], _ bytes: (Element) -> Int) -> [Element] {
      var room = 8 * limit
      return Array(
        elements.prefix {
          room -= bytes($0)
          return room >= 0
        })
    }
    return Offer(
      ref: ref, name: fit(name), description: description.map(fit), terms: terms.map(fit),
      reward: reward?.abridged(toBytes: limit), imageURLText: address(imageURLText),
      urlText: address(urlText), retailer: retailer.map(fit),
      categories: first(categories.prefix(OfferLimits.categoryCount).map(fit), \.utf8.count),
      startsAt: startsAt, expiresAt: expiresAt, latitude: latitude, longitude: longitude,
      attributes: first(
        attributes.prefix(2 * OfferLimits.attributeCount).map {
          OfferAttribute(label: fit($0.label), value: fit($0.value))
        }, { $0.label.utf8.count + $0.value.utf8.count }),
      firstSeenAt: firstSeenAt, changedAt: changedAt, goneAt: goneAt)
  }
}

extension Reward {
  /// The reward with its text truncated to `limit` bytes.
  package func abridged(toBytes limit: Int) -> Reward {
    OfferLimits.fit(text, within: limit).map { Reward(text: $0, value: value, isUpTo: isUpTo) }
      ?? self
  }
}
