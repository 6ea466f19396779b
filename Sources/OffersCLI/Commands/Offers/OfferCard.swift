import Foundation
import OffersCore

/// The card of an offer: its reward or price, name, description, terms, and the other fields.
enum OfferCard {
  /// The lines of the card.
  ///
  /// - Parameters:
  ///   - offer: the offer to show.
  ///   - presentation: how the offers of its feed are shown.
  ///   - now: the time at which the offer counts as expired.
  ///   - width: the width in columns at which lines are wrapped; more than 100 counts as 100.
  ///   - style: the style of titles and labels.
  ///   - isOfRemovedFeed: whether to say that the feed is not subscribed any more.
  static func lines(
    _ offer: UserOffer, _ presentation: FeedPresentation, at now: Date, width: Int,
    _ style: Style = .plain, isOfRemovedFeed: Bool = false
  ) -> [PrintedText] {
    let width = min(width, 100)
    var lines = heading(offer, presentation, at: now, width: width, style)
    if let description = offer.description {
      lines += DisplayText.wrap(DisplayText.safe(description), width).map(PrintedText.text)
    }
    if let terms = offer.terms {
      lines += ["", style.bold("Terms")]
      lines += DisplayText.wrap(DisplayText.safe(terms), width - 2).map {
        $0.isEmpty ? "" : "  \($0)"
      }
    }
    lines.append("")
    let rows =
      particulars(offer, at: now)
      + (isOfRemovedFeed ? [("Feed", "\(offer.ref.feed), which is not subscribed any more")] : [])
    let indent = rows.reduce(10) { max($0, min(24, DisplayText.width($1.0))) } + 2
    for (label, value) in rows {
      let label = DisplayText.pad(DisplayText.oneLine(label), indent)
      // Values with a URL are not wrapped, so that a terminal can open the URL.
      let isLink = value.contains("://")
      let parts =
        isLink
        ? [DisplayText.oneLine(value)]
        : DisplayText.wrap(DisplayText.oneLine(value), max(20, width - indent))
      lines += parts.enumerated().map { index, part in
        "\(index == 0 ? style.faint(label) : .text(DisplayText.pad("", indent)))\(part)"
      }
    }
    return lines
  }

  /// The lines with the star of a favorite, the reward or the price, the marks of a gone and of an expired
  /// offer, the name and the byline.
  static func heading(
    _ offer: UserOffer, _ presentation: FeedPresentation, at now: Date, width: Int,
    _ style: Style = .plain
  ) -> [PrintedText] {
    let title: PrintedText = [
      offer.isFavorite ? style.star("★") : nil,
      offer.reward.map { reward -> PrintedText in
        let text = DisplayText.oneLine(reward.text)
        return presentation.valueRole == .price ? .text("Price " + text) : style.good(text)
      },
      offer.state == .gone ? "(gone)" : nil,
      offer.isExpired(at: now) ? "(expired)" : nil,
    ].compactMap(\.self).joined(separator: " ")
    let byline = presentation.byline(of: offer.offer).map(DisplayText.oneLine)
    return (title.isEmpty ? [] : [title])
      + DisplayText.wrap(DisplayText.oneLine(offer.name), width).map(style.bold)
      + (byline.map { DisplayText.wrap($0, width).map(PrintedText.text) } ?? [])
  }

  private static func particulars(_ offer: UserOffer, at now: Date) -> [(String, String)] {
    var rows: [(String, String)] = []
    if let retailer = offer.retailer { rows.append(("Sold by", retailer)) }
    // Many feeds repeat their categories as an attribute. They are shown once, with its label, which
    // is more precise.
    let categories = offer.categories.joined(separator: ", ")
    if !categories.isEmpty {
      let label = offer.attributes.first { $0.value == categories }?.label ?? "Category"
      rows.append((label, categories))
    }
    if let starts = offer.startsAt { rows.append(("Starts", Units.time(starts))) }
    if let expires = offer.expiresAt {
      let label = offer.isExpired(at: now) ? "Expired on" : "Expires"
      rows.append((label, Units.time(expires)))
    }
    if let latitude = offer.latitude, let longitude = offer.longitude {
      rows.append(("Place", "\(latitude), \(longitude)"))
    }
    rows += offer.attributes.filter { $0.value != categories }.map { ($0.label, $0.shownValue) }
    rows.append(("ID", offer.ref.description))
    if let url = offer.urlText { rows.append(("Link", url)) }
    if let image = offer.imageURLText { rows.append(("Image", image)) }
    rows.append(("First seen", Units.time(offer.firstSeenAt)))
    if offer.changedAt > offer.firstSeenAt { rows.append(("Changed", Units.time(offer.changedAt))) }
    if let gone = offer.goneAt { rows.append(("Gone since", Units.time(gone))) }
    return rows
  }
}
