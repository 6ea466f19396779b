import OffersCore

/// The line of a change in the news, which cron mails.
struct ChangeReport {
  let feeds: FeedPresentations

  /// A line such as `★ up: Harvest Row Pasta Sauce, $0.75 → $1.00 (ibotta:900117)`.
  func line(_ change: OfferChange) -> String {
    guard let offer = change.offer else {
      return "\(change.feed): \(ChangeLines.firstSync(change, feeds[change.feed].noun))"
    }
    let star = offer.isFavorite ? "★ " : ""
    let text =
      "\(star)\(word(change)): \(offer.name)\(detail(change, offer)) (\(offer.ref))"
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

  private func detail(_ change: OfferChange, _ offer: UserOffer) -> String {
    switch change.kind {
    case .up, .down, .changed:
      if change.oldReward == nil && change.newReward == nil {
        return ", "
          + change.fields.map { field in
            guard let text = change.texts.first(where: { $0.field == field }) else { return field }
            return "\(text.label): \(text.shown.old) → \(text.shown.new)"
          }.joined(separator: ", ")
      }
      let none = "no \(role(change).rawValue)"
      return ", \(change.oldReward?.text ?? none) → \(change.newReward?.text ?? none)"
    case .expiring: return offer.expiresAt.map { ", ends \(Units.time($0))" } ?? ""
    case .first: return ""
    case .new:
      let reward = change.reward.map { ", \($0.text)" } ?? ""
      return reward + (change.returned.map { ", probably the favorite \($0)" } ?? "")
    case .back: return change.reward.map { ", \($0.text)" } ?? ""
    case .gone: return change.returned.map { ", probably \($0) now" } ?? ""
    }
  }
}
