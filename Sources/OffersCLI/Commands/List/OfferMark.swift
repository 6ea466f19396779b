import Foundation
import OffersCore

/// The mark of an offer that is gone from its feed or has expired, before its name in a list.
enum OfferMark {
  /// `gone: `, `expired: `, `gone, expired: `, or nothing.
  ///
  /// - Parameters:
  ///   - offer: the offer to mark.
  ///   - now: the time at which the offer counts as expired.
  ///   - tellsGone: whether to mark a gone offer.
  ///   - tellsExpired: whether to mark an expired offer.
  static func text(
    _ offer: UserOffer, at now: Date, tellsGone: Bool = true, tellsExpired: Bool = true
  ) -> String {
    let words = [
      tellsGone && offer.state == .gone ? "gone" : nil,
      tellsExpired && offer.isExpired(at: now) ? "expired" : nil,
    ].compactMap(\.self)
    return words.isEmpty ? "" : words.joined(separator: ", ") + ": "
  }
}
