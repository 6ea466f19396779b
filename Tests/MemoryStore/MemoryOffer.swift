import Foundation
import OffersCore

/// An offer in memory.
struct MemoryOffer: Sendable {
  /// Counts up in the order in which syncs first found the offers.
  let key: Int64
  var ref: OfferRef
  private(set) var content: Content
  var firstSeenAt: Date
  var changedAt: Date
  var goneAt: Date?
  /// When a search on the feed's server last found an offer that the feed's own document does not have;
  /// nil for an offer of the document.
  var foundAt: Date?

  /// The fields of an offer that its feed sets.
  struct Content: Sendable {
    var hash: UInt64
    /// The texts by their fields, without the id; lists and numbers as in a record.
    var texts: [OfferField: [UInt8]] = [:]
    var rewardValue: Reward.Value?
    var isUpTo: Bool

    init(_ record: OfferRecord) {
      hash = record.contentHash
      rewardValue = record.rewardValue
      isUpTo = record.isUpTo
      var texts: [OfferField: [UInt8]] = [:]
      record.forEachField { field, text in
        if field != .id, let text { texts[field] = Array(text) }
      }
      self.texts = texts
    }

    func text(_ field: OfferField) -> String? {
      texts[field].map { String(decoding: $0, as: UTF8.self) }
    }

    func number(_ field: OfferField) -> Double? { text(field).flatMap(Double.init) }

    func date(_ field: OfferField) -> Date? { number(field).map(Date.init(timeIntervalSince1970:)) }

    /// A text, or a time in ISO 8601.
    func told(_ field: OfferField) -> String? {
      switch field {
      case .startsAt, .expiresAt: date(field).map { ISOTime.text($0.storedSeconds) }
      default: text(field)
      }
    }

    var reward: Reward? {
      text(.reward).map { Reward(text: $0, value: rewardValue, isUpTo: isUpTo) }
    }

    /// The fields that differ from those of another content. Texts are compared byte by byte.
    func changedFields(to other: Content) -> [OfferField] {
      OfferField.allCases.filter { field in
        switch field {
        case .latitude, .longitude: number(field) != other.number(field)
        case .reward: Reward.differ(reward, other.reward)
        default: texts[field] != other.texts[field]
        }
      }
    }
  }

  init(_ content: Content, key: Int64, ref: OfferRef, at time: Date) {
    self.key = key
    self.ref = ref
    self.content = content
    firstSeenAt = time
    changedAt = time
  }

  /// Replaces the content, if a field differs; otherwise only its hash.
  mutating func update(_ new: Content, at time: Date) {
    if !content.changedFields(to: new).isEmpty { changedAt = time }
    content = new
  }

  /// The offer with the attributes that all offers of its feed share.
  func offer(shared: [OfferAttribute] = []) -> Offer {
    let own = content.text(.attributes).map(OfferAttribute.parse) ?? []
    let labels = Set(own.map(\.label))
    return Offer(
      ref: ref, name: content.text(.name) ?? "", description: content.text(.description),
      terms: content.text(.terms), reward: content.reward, imageURLText: content.text(.imageURL),
      urlText: content.text(.url), retailer: content.text(.retailer),
      categories: content.text(.categories).map(JSONTexts.parse) ?? [],
      startsAt: content.date(.startsAt), expiresAt: content.date(.expiresAt),
      latitude: content.number(.latitude), longitude: content.number(.longitude),
      attributes: own + shared.filter { !labels.contains($0.label) },
      firstSeenAt: firstSeenAt, changedAt: changedAt, goneAt: goneAt)
  }

  /// Whether two offers have the same name and description, byte for byte.
  func isNamedLike(_ other: MemoryOffer) -> Bool {
    content.texts[.name] == other.content.texts[.name]
      && content.texts[.description] == other.content.texts[.description]
  }
}
