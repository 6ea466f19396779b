import Foundation

extension Notice {
  /// The change as a sentence without the name of the offer and without a full stop: `is up: $1.50, was $1.00`.
  ///
  /// - Parameters:
  ///   - reader: writes the values.
  ///   - now: the time at which the sentence is read, if that is at once: it then says how soon an offer ends. Nil for a
  ///     sentence that stays true, which says when the offer ends.
  package func sentence(_ reader: any FilterTextReader, at now: Date?) -> String {
    switch reason {
    case .watch(let firing): return firing.sentence(reader, at: now)
    case .favorite(let kind, let old, let new, let fields, let texts):
      return Self.sentence(kind, old, new, fields, texts ?? [], reader)
    case .ending(let end): return Units.ending(end, at: now)
    case .failing(let since, let count, let message):
      let reason = message.map { ": \($0)" } ?? ""
      let failed = count > 0 ? "has failed \(Units.count(count, "time"))" : "is stopped"
      return "\(failed) since \(Units.time(since))\(reason)"
    case .recovered: return "works again"
    case .heldBack(let held, let count):
      // Without a time, no time has passed.
      return "lacks offers: \(held.sentence(of: count, at: now ?? .distantPast))"
    }
  }

  private static func sentence(
    _ kind: OfferChange.Kind, _ old: Reward?, _ new: Reward?, _ fields: [String],
    _ texts: [TextChange], _ reader: any FilterTextReader
  ) -> String {
    func text(_ reward: Reward?) -> String {
      guard let reward else { return "nothing" }
      return reward.value.map {
        (reward.isUpTo ? "up to " : "") + reader.text(of: $0, sign: reward.sign)
      } ?? reward.text
    }
    switch kind {
    case .new: return "is new" + (new.map { ": \(text($0))" } ?? "")
    case .up, .down: return "is \(kind.rawValue): \(text(new)), was \(text(old))"
    case .gone: return "is gone from its feed"
    case .back: return "is back in its feed"
    default:
      let reward = old == new ? nil : "\(text(new)), was \(text(old))"
      let words = fields.compactMap { name in
        OfferField.allCases.first { $0.name == name }?.changeText(
          texts.first { $0.field == name })
      }
      let parts = [reward].compactMap(\.self) + words
      return parts.isEmpty ? "has changed" : "has changed: \(parts.joined(separator: ", "))"
    }
  }
}

extension Reward {
  /// The sign before an amount whose currency is not known, as in `$5.00` or `-$5.00`; nil without one.
  package var sign: String? {
    guard case .amount(_, nil) = value else { return nil }
    return text.unicodeScalars.first { "$€£¥₹".unicodeScalars.contains($0) }.map { String($0) }
  }
}

extension FilterTextReader {
  /// The text of an exact value. One whose currency is not known has a sign as its feed prints it.
  func text(of value: Reward.Value, sign: String?) -> String {
    let text = text(of: value)
    guard let sign, case .amount(_, nil) = value else { return text }
    return text.hasPrefix("-") ? "-\(sign)\(text.dropFirst())" : sign + text
  }
}

extension OfferField {
  /// Describes a change of the field: `another end: 2026-12-01 23:59, was 2026-12-05 23:59`; nil for a field whose
  /// changes are not described.
  ///
  /// - Parameter change: the texts before and after the change; nil if they are not stored.
  fileprivate func changeText(_ change: TextChange?) -> String? {
    guard let words = changeWords else { return nil }
    guard let change else { return words }
    guard self == .startsAt || self == .expiresAt else {
      return change.new.map { "\(words): “\($0)”" } ?? "no \(name) any more"
    }
    func time(_ text: String?) -> String {
      guard let text else { return "none" }
      return ISOTime.seconds(parsing: text).map { Units.time(Date(storedSeconds: $0)) } ?? text
    }
    return "\(words): \(time(change.new)), was \(time(change.old))"
  }

  /// The words for a change of the field in a sentence; nil for an id or an address, and for the reward.
  fileprivate var changeWords: String? {
    switch self {
    case .id, .reward, .imageURL, .url, .longitude: nil
    case .name: "another name"
    case .description: "another description"
    case .terms: "other terms"
    case .retailer: "another retailer"
    case .categories: "other categories"
    case .startsAt: "another start"
    case .expiresAt: "another end"
    case .latitude: "another place"
    case .attributes: "other details"
    }
  }
}
