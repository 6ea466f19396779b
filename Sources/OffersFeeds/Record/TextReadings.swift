import OffersCore

/// Completes offers whose records have no reward, price or end with what their title states, else their
/// description.
///
/// An attribute for each field that comes from the text has the part of the text that states it, so that lists,
/// pages, documents and exports tell it.
package struct TextReadings {
  /// The label of the attribute for the end.
  package static let endLabel = "End from the text"

  /// The label of the attribute for the reward or price.
  package static func label(_ role: ValueRole) -> String {
    role == .price ? "Price from the text" : "Reward from the text"
  }

  private let rewards: RewardParser
  private let role: ValueRole
  private let order: DateOrder?
  private let zone: DayZone
  /// The rule of the day on which an offer was published; nil if the definition has none.
  private let published: FieldRule?

  /// The beginnings of labels of such a day, in order of preference.
  private static let labels = [
    "publi", "pub", "posted", "created", "date", "added", "erstellt", "updated", "modified",
  ]

  /// Whether a label is that of the day on which an offer was published.
  static func isPublication(_ label: String) -> Bool {
    labels.contains { label.lowercased().hasPrefix($0) }
  }

  init(_ definition: FeedDefinition, _ zone: DayZone) {
    role = definition.presentation.valueRole
    rewards = RewardParser(feedCurrency: definition.currency, role: role)
    order = definition.dateOrder
    self.zone = zone
    let dates = definition.attributes.filter { attribute in
      attribute.rule.alternatives.contains { $0.reading == .date }
    }
    published =
      Self.labels.lazy.compactMap { label in
        dates.first { $0.label.lowercased().hasPrefix(label) }
      }.first?.rule
  }

  /// Adds the reward or price and the end that the texts of an offer state.
  ///
  /// - Parameter statesEnd: whether the record states an end, or that there is none.
  func complete(_ offer: inout OfferRecord, _ values: RecordValues, statesEnd: Bool) {
    let texts = [offer[.name], offer[.description]].compactMap(\.self)
    var marks: [OfferAttribute] = []
    if offer[.reward] == nil, let reward = reward(texts) {
      offer[.reward] = reward
      offer.isRewardFromText = true
      marks.append(OfferAttribute(label: Self.label(role), value: reward))
    }
    if !statesEnd, let (date, part) = end(texts, values) {
      offer[.expiresAt] = String(zone.end(of: date))
      offer.isEndFromText = true
      marks.append(OfferAttribute(label: Self.endLabel, value: part))
    }
    if marks.isEmpty { return }
    let own = offer[.attributes].map(OfferAttribute.parse) ?? []
    // A mark matters more than the last of very many attributes.
    let all = own.prefix(OfferLimits.attributeCount - marks.count) + marks
    offer[.attributes] = JSONTextEncoder.list(
      all.map { JSONTextEncoder.list([$0.label, $0.value].map(JSONTextEncoder.text)) })
  }

  private func reward(_ texts: [String]) -> String? {
    for (place, text) in texts.enumerated() {
      switch DealText.find(in: text, role: role, isTitle: place == 0, rewards) {
      case .none: continue
      case .several: return nil
      case .one(let part):
        guard let line = OfferAssembler.oneLine(part) else { return nil }
        return OfferLimits.fit(line, within: OfferLimits.bytes(of: .reward)) ?? line
      }
    }
    return nil
  }

  private func end(_ texts: [String], _ values: RecordValues) -> (ParsedDate, String)? {
    var day: Int64??
    for (place, text) in texts.enumerated() {
      if day == nil { day = .some(publicationDay(values)) }
      switch EndText.find(
        in: text, order: order, published: day ?? nil, isTitle: place == 0)
      {
      case .none: continue
      case .several: return nil
      case .one(var date, let part):
        // A clock without a zone, as in `11:58 pm CT`, ends the day that is certain.
        if date.lacksZone, zone == .user {
          date = ParsedDate(day: CivilDay(number: zone.day(of: date)))
        }
        return (date, OfferAssembler.oneLine(part) ?? part)
      }
    }
    return nil
  }

  private func publicationDay(_ values: RecordValues) -> Int64? {
    for alternative in published?.alternatives ?? [] {
      guard case .text(let text) = values.value(alternative.value, join: alternative.join),
        let date = text.string.withBytes({ DateParser.parse($0, order: order) })
      else { continue }
      return zone.day(of: date)
    }
    return nil
  }
}
