import OffersCore

/// The lines of a table of changes.
enum ChangeLines {
  /// The table whose columns the lines have.
  ///
  /// - Parameter sample: the changes that determine the widths of the columns.
  static func table(_ sample: [OfferChange]) -> Table {
    Table(
      columns: [
        Table.Column(title: " ", isWhole: true), Table.Column(title: "WHEN", isWhole: true),
        Table.Column(title: "KIND", isWhole: true), Table.Column(title: "ID", isWhole: true),
        Table.Column(title: "REWARD"), Table.Column(title: "NAME"),
      ], sample: sample.map(cells), totalWidth: Terminal.width)
  }

  /// The line of a change. If a gone favorite is probably back under another id, a second line
  /// follows, which names the other id and the command that stars the offer.
  static func lines(
    _ change: OfferChange, _ table: Table, _ style: Style = .plain
  ) -> String {
    let line = set(table.line(cells(change)), change.kind, style) + "\n"
    guard let other = change.returned, let offer = change.offer else { return line }
    let isGone = change.kind == .gone
    let word = ShellQuoting.word((isGone ? other : offer.ref).description)
    let text =
      (isGone ? "   probably \(other) now" : "   probably your favorite \(other) again")
      + "; star it: offers favorite \(word)"
    return line + DisplayText.oneLine(text) + "\n"
  }

  /// The line in the color for the kind of the change; plain for the kinds without a color.
  private static func set(_ line: String, _ kind: OfferChange.Kind, _ style: Style) -> String {
    switch kind {
    case .up, .back: style.good(line)
    case .down, .expiring: style.bad(line)
    case .gone: style.faint(line)
    default: line
    }
  }

  private static func cells(_ change: OfferChange) -> [String] {
    guard let offer = change.offer else {
      return [
        " ", Units.time(change.at), change.kind.rawValue, change.feed, "–", firstSync(change),
      ]
    }
    let others = change.fields.filter { $0 != OfferField.reward.name }
    let details = others.isEmpty ? "" : " (\(others.joined(separator: ", ")))"
    return [
      offer.isFavorite ? "★" : " ", Units.time(change.at), change.kind.rawValue,
      DisplayText.oneLine(offer.ref.description), DisplayText.oneLine(reward(change)),
      DisplayText.oneLine(offer.name) + details,
    ]
  }

  /// The text of a feed's first sync, such as `132 offers, first sync`.
  static func firstSync(_ change: OfferChange) -> String {
    "\(Units.count(change.offerCount ?? 0, "offer")), first sync"
  }

  /// The reward before and after the change, such as `$1.00 → $1.25`, in exact values if it rose or
  /// fell, else in the feed's texts; a single text if the reward did not change.
  private static func reward(_ change: OfferChange) -> String {
    if change.kind == .up || change.kind == .down, let old = change.oldReward?.value,
      let new = change.newReward?.value
    {
      let upTo = change.newReward?.isUpTo == true ? "up to " : ""
      return "\(upTo)\(Units.value(old)) → \(Units.value(new))"
    }
    if change.oldReward != change.newReward {
      return "\(change.oldReward?.text ?? "–") → \(change.newReward?.text ?? "–")"
    }
    return change.reward?.text ?? "–"
  }
}
