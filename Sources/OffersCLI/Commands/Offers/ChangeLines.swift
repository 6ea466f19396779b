import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform

/// The lines of a table of changes.
struct ChangeLines {
  private let feeds: FeedPresentations
  private let words: ValueWords
  private let table: Table

  /// - Parameter sample: the changes that determine the widths of the columns.
  init(_ sample: [OfferChange], _ feeds: FeedPresentations) {
    self.feeds = feeds
    let words = ValueWords(
      feeds,
      of: sample.lazy.map {
        ($0.feed, $0.reward ?? $0.newReward ?? $0.oldReward)
      })
    self.words = words
    table = Table(
      columns: [
        .whole(" "), .whole("WHEN"), .whole("KIND"), .whole("ID"), .whole(words.title),
        .text("NAME"),
      ], sample: sample.map { Self.cells($0, words, feeds) }, totalWidth: Terminal.width)
  }

  var header: String { table.header }

  /// The line of a change, and below it what each changed text was before. If a gone favorite is
  /// probably back under another id, a line follows which names the other id and the command that
  /// stars the offer.
  func lines(_ change: OfferChange, _ style: Style = .plain) -> PrintedText {
    let texts = change.texts.flatMap { $0.lines(width: Terminal.width) }.map { $0 + "\n" }.joined()
    let line: PrintedText =
      "\(set(table.line(Self.cells(change, words, feeds)), change, style))\n\(texts)"
    guard let other = change.returned, let offer = change.offer else { return line }
    let isGone = change.kind == .gone
    let word = ShellQuoting.word((isGone ? other : offer.ref).description)
    let text =
      (isGone ? "   probably \(other) now" : "   probably your favorite \(other) again")
      + "; star it: offers favorite \(word)"
    return "\(line)\(DisplayText.oneLine(text))\n"
  }

  /// The line in the color for the kind of the change; plain for the kinds without a color. A
  /// reward that rises is good news, and so is a price that falls.
  private func set(_ line: String, _ change: OfferChange, _ style: Style) -> PrintedText {
    let isPrice = feeds[change.feed].valueRole == .price
    return switch change.kind {
    case .up, .down: (change.kind == .up) == isPrice ? style.bad(line) : style.good(line)
    case .back: style.good(line)
    case .expiring: style.bad(line)
    case .gone: style.faint(line)
    default: .text(line)
    }
  }

  private static func cells(
    _ change: OfferChange, _ words: ValueWords, _ feeds: FeedPresentations
  ) -> [String] {
    guard let offer = change.offer else {
      return [
        " ", time(change.at), change.kind.rawValue, change.feed, "–",
        firstSync(change, feeds[change.feed].noun),
      ]
    }
    let told = change.texts.map(\.field) + [OfferField.reward.name]
    let others = change.fields.filter { !told.contains($0) }
    let details = others.isEmpty ? "" : " (\(others.joined(separator: ", ")))"
    return [
      offer.isFavorite ? "★" : " ", time(change.at), change.kind.rawValue,
      DisplayText.oneLine(offer.ref.description),
      reward(change).map { words.text($0, of: offer.ref.feed) } ?? "–",
      DisplayText.oneLine(offer.name) + details,
    ]
  }

  /// Whether the terminal has no room for two rewards as the feed prints them.
  private static var isNarrow: Bool { Terminal.width.map { $0 < 60 } ?? false }

  /// The time of a change. In a narrow terminal the current year is left out, so that the reward has
  /// room.
  private static func time(_ time: Date) -> String {
    let text = Units.time(time)
    guard let width = Terminal.width, width < 100, text.prefix(4) == Units.time(Date()).prefix(4)
    else { return text }
    return String(text.dropFirst(5))
  }

  /// The text of a feed's first sync, such as `132 offers, first sync`.
  static func firstSync(_ change: OfferChange, _ noun: OfferNoun) -> String {
    "\(Units.count(change.offerCount ?? 0, noun)), first sync"
  }

  /// The exact values before and after the change, such as `$1.00 → $1.25`; nil if one of them is not
  /// known, or they are the same.
  static func step(of change: OfferChange) -> String? {
    guard let old = change.oldReward, let new = change.newReward, let was = old.value,
      let value = new.value, was != value || old.isUpTo != new.isUpTo
    else { return nil }
    let upTo = (old: old.isUpTo ? "up to " : "", new: !old.isUpTo && new.isUpTo ? "up to " : "")
    return "\(upTo.old)\(Units.value(was)) → \(upTo.new)\(Units.value(value))"
  }

  /// The reward before and after the change, such as `$1.00 → $1.25`, in exact values if it rose or
  /// fell or the terminal is narrow, else in the feed's texts; a single text if the reward did not
  /// change, and nil if there is none.
  private static func reward(_ change: OfferChange) -> String? {
    if change.kind == .up || change.kind == .down || isNarrow, let step = step(of: change) {
      return step
    }
    if change.oldReward != change.newReward {
      return "\(change.oldReward?.text ?? "–") → \(change.newReward?.text ?? "–")"
    }
    return change.reward?.text
  }
}

extension TextChange {
  /// The lines below the row of a change that tell what a text was before it, such as
  /// `name: Green Tea → Green Teas`.
  func lines(width: Int?) -> [String] {
    let (old, new) = shown
    let text = DisplayText.oneLine("\(label): \(old) → \(new)")
    return DisplayText.hanging("   ", text, indent: 5, width: width)
  }
}

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
    if text == nil, field != .name, TextChange.fields.contains(field) {
      return "other \(field.name)"
    }
    switch field {
    case .id, .reward, .imageURL, .url: return nil
    case .name: return text?.old.map { "was “\($0)”" }
    case .retailer: return text?.new.map { "now at \($0)" } ?? "no retailer now"
    case .startsAt: return day(text).map { "starts \($0)" } ?? "no start now"
    case .expiresAt: return day(text).map { "ends \($0)" } ?? "no end now"
    case .categories: return "other categories"
    case .latitude, .longitude: return field == .latitude ? "another place" : nil
    case .attributes: return "other details"
    default: return text?.new.map { "now “\($0)”" } ?? "no \(field.name) now"
    }
    func day(_ text: TextChange?) -> String? {
      text?.new.flatMap(ISOTime.seconds(parsing:)).map {
        Units.shortDay(Date(storedSeconds: $0), at: now)
      }
    }
  }
}
