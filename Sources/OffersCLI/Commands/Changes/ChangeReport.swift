import OffersCore

/// The line of a change in the news, which cron mails.
enum ChangeReport {
  /// A line such as `★ up: Harvest Row Pasta Sauce, $0.75 → $1.00 (ibotta:900117)`.
  static func line(_ change: OfferChange) -> String {
    guard let offer = change.offer else {
      return "\(change.feed): \(ChangeLines.firstSync(change))"
    }
    let star = offer.isFavorite ? "★ " : ""
    let text =
      "\(star)\(change.kind.rawValue): \(offer.name)\(detail(change, offer)) (\(offer.ref))"
    return DisplayText.oneLine(text)
  }

  private static func detail(_ change: OfferChange, _ offer: Offer) -> String {
    switch change.kind {
    case .up, .down, .changed:
      if change.oldReward == nil && change.newReward == nil {
        return ", " + change.fields.joined(separator: ", ")
      }
      return ", \(change.oldReward?.text ?? "no reward") → \(change.newReward?.text ?? "no reward")"
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
