import Foundation
import OffersCore

/// The line of a change in the news, which cron mails.
struct ChangeReport {
  let feeds: FeedPresentations

  /// A line such as `★ up: Alpha Coffee, $1.00 → $1.50; now “36 oz only”; ends 5 Dec (shop:1)`.
  func line(_ change: OfferChange, at now: Date) -> String {
    guard let offer = change.offer else {
      return "\(change.feed): \(ChangeLines.firstSync(change, feeds[change.feed].noun))"
    }
    let star = offer.isFavorite ? "★ " : ""
    let text =
      "\(star)\(word(change)): \(offer.name)\(detail(change, offer, at: now)) (\(offer.ref))"
    return DisplayText.oneLine(text)
  }

  /// The kind of the change. It names a price, which is good news if it falls.
  private func word(_ change: OfferChange) -> String {
    let isPrice = role(change) == .price && (change.kind == .up || change.kind == .down)
    return isPrice ? "price \(change.kind.rawValue)" : change.kind.rawValue
  }

  private func role(_ change: OfferChange) -> ValueRole {
    feeds[change.feed].valueRole
  }

  private func detail(_ change: OfferChange, _ offer: UserOffer, at now: Date) -> String {
    switch change.kind {
    case .up, .down, .changed:
      let parts = [reward(change)] + change.fields.map { self.part(of: $0, change, at: now) }
      let all = parts.compactMap(\.self).joined(separator: "; ")
      return all.isEmpty ? "" : ", \(all)"
    case .expiring: return offer.expiresAt.map { ", ends \(Units.time($0))" } ?? ""
    case .first: return ""
    case .new:
      let reward = change.reward.map { ", \($0.text)" } ?? ""
      return reward + (change.returned.map { ", probably the favorite \($0)" } ?? "")
    case .back: return change.reward.map { ", \($0.text)" } ?? ""
    case .gone: return change.returned.map { ", probably \($0) now" } ?? ""
    }
  }

  /// The reward before and after the change; nil if it is the same.
  private func reward(_ change: OfferChange) -> String? {
    if change.oldReward == change.newReward { return nil }
    if change.kind != .changed, let step = ChangeLines.step(of: change) { return step }
    let none = "no \(role(change).rawValue)"
    return "\(change.oldReward?.text ?? none) → \(change.newReward?.text ?? none)"
  }

  /// The words for the change of a field; nil for ids and addresses, and for the reward, which `reward` words.
  private func part(of field: String, _ change: OfferChange, at now: Date) -> String? {
    guard let field = OfferField.allCases.first(where: { $0.name == field }) else { return nil }
    let text = change.texts.first { $0.field == field.name }
    // Very long texts are not read with a list of changes.
    if text == nil, [.description, .terms, .retailer, .startsAt, .expiresAt].contains(field) {
      return "other \(field.name)"
    }
    switch field {
    case .id, .reward, .imageURL, .url: return nil
    case .name: return text?.old.map { "was “\($0)”" }
    case .description, .terms:
      return text?.new.map { "now “\($0)”" } ?? "no \(field.name) now"
    case .retailer: return text?.new.map { "now at \($0)" } ?? "no retailer now"
    case .startsAt: return day(text).map { "starts \($0)" } ?? "no start now"
    case .expiresAt: return day(text).map { "ends \($0)" } ?? "no end now"
    case .categories: return "other categories"
    case .latitude, .longitude: return field == .latitude ? "another place" : nil
    case .attributes: return "other details"
    }
    func day(_ text: TextChange?) -> String? {
      text?.new.flatMap(ISOTime.seconds(parsing:)).map {
        Units.shortDay(Date(storedSeconds: $0), at: now)
      }
    }
  }
}
