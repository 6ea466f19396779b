import Foundation
import OffersCore

/// The texts and the JSON document of a search's result.
struct SearchReport {
  let answer: SearchAnswer
  /// The presentations of the feeds.
  let feeds: FeedPresentations
  /// The time of the search, at which offers count as expired.
  let now = Date()

  var results: SearchResults { answer.results }
  private var words: String { answer.words }
  private var feed: String? { answer.feed }
  private var page: Int { answer.page }

  private var place: String { feed.map { " in \($0)" } ?? "" }

  /// The lines for standard error: why stored offers are shown instead of results of the server, or
  /// that nothing was found, with the words that were probably meant.
  var notes: [String] {
    let quoted = "“\(DisplayText.oneLine(words))”"
    var notes: [String] = []
    if let error = answer.error, let feed {
      notes.append("offers: \(feed): \(DisplayText.oneLine(error.message))")
      if let hint = error.advice?.printed {
        notes.append("        " + DisplayText.oneLine(hint))
      }
    }
    if answer.isStandIn, let feed, !results.hits.isEmpty {
      notes.append(
        answer.error == nil
          ? "The server of \(feed) found nothing for \(quoted). These are stored offers:"
          : "These are stored offers of \(feed), not results of its server.")
    }
    if !results.hits.isEmpty { return notes }
    if let corrected = results.correctedWords {
      notes.append(
        "Nothing found for \(quoted)\(place); did you mean “\(DisplayText.oneLine(corrected))”?")
    } else if page > 1 {
      notes.append("Nothing found on page \(page) for \(quoted)\(place).")
    } else if (try? SearchWords(words))?.isEmpty == true {
      notes.append("\(quoted) contains no letter or digit to search for.")
    } else {
      notes.append("Nothing found for \(quoted)\(place).")
    }
    return notes
  }

  /// How to see more offers; nil if there are no more.
  var more: String? { results.hasMore ? "More: --page \(page + 1)" : nil }

  /// The offers as a table. On a terminal the words that were found are bold, and if none is in the
  /// name, a second line shows the first field that has one.
  func table(width: Int?, _ style: Style) -> PrintedText {
    let words = ValueWords(feeds, of: results.hits.map(\.offer))
    let columns: [OfferColumn] =
      words.isEmpty ? [.favorite, .ref, .name] : [.favorite, .ref, .reward, .name]
    let cells = OfferCells(columns: columns, isUsual: true, feeds: feeds, now: now)
    let rows = results.hits.map { cells.shown($0.offer, columns, words) }
    let table = Table(
      columns: columns.map { $0.tableColumn(words) }, sample: rows, totalWidth: width)
    var text: PrintedText = "\(style.bold(table.header))\n"
    for (hit, row) in zip(results.hits, rows) {
      text += "\(line(hit, row, table, width, style))\n"
    }
    return text
  }

  private func line(
    _ hit: SearchHit, _ row: [String], _ table: Table, _ width: Int?, _ style: Style
  ) -> PrintedText {
    let plain = PrintedText.text(table.line(row))
    guard let width, let match = hit.matches.first else { return plain }
    let mark = OfferMark.text(hit.offer, at: now)
    if match.field == .name {
      let shift = mark.unicodeScalars.count
      let name = MarkedText(
        mark + hit.offer.name + feeds.bylineSuffix(of: hit.offer.offer),
        ranges: match.scalarRanges.map { $0.lowerBound + shift..<$0.upperBound + shift })
      return table.line(row) { name.text($0 ?? width, style) }
    }
    // The byline already shows the value of its attributes.
    if match.field == .attributes, let attribute = match.attribute(of: hit.offer.offer),
      feeds[hit.offer.ref.feed].byline.contains(attribute.label)
    {
      return plain
    }
    let label = Self.label(of: match, in: hit.offer.offer)
    let columns = width - DisplayText.width(label) - 5
    let snippet = MarkedText(match.text, ranges: match.scalarRanges).lead(columns / 3)
    return "\(plain)\n   \(style.faint(label)): \(snippet.text(columns, style))"
  }

  /// The label of the field of a match.
  private static func label(of match: SearchMatch, in offer: Offer) -> String {
    switch match.field {
    case .name: "Name"
    case .description: "Description"
    case .terms: "Terms"
    case .retailer: "Sold by"
    case .categories: "Category"
    case .attributes:
      match.attribute(of: offer).map { DisplayText.fit(DisplayText.oneLine($0.label), 24) } ?? ""
    }
  }

  /// `{"words","corrected_words","feed","page","has_more","source","error","offers":[…]}`
  var json: String {
    var answer = answer
    answer.error = answer.error?.withCommands
    var json = JSONWriter()
    json.pricedFeeds = feeds.pricedFeeds
    json.value(answer, at: now)
    return json.text
  }
}
