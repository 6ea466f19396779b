package import Foundation

/// A feed that feed readers and calendars read: notices as Atom (RFC 4287) or JSON Feed 1.1, and ends of offers as
/// iCalendar (RFC 5545).
///
/// Entries keep their identities: a reader shows each once, and a calendar moves an end that changed. The identity of the
/// database is part of them, so that a reader of two databases shows the entries of both.
public struct NoticeFeed: Sendable {
  /// The format of a document.
  public enum Format: String, Sendable, CaseIterable {
    /// Atom, RFC 4287.
    case atom
    /// JSON Feed 1.1, https://jsonfeed.org.
    case jsonfeed
    /// iCalendar, RFC 5545.
    case ics

    /// The name of the document at an address.
    package var fileName: String {
      switch self {
      case .atom: "changes.atom"
      case .jsonfeed: "changes.json"
      case .ics: "expiries.ics"
      }
    }

    /// The format of the document with a name at an address; nil for another name.
    package init?(fileName: String) {
      guard let format = Self.allCases.first(where: { $0.fileName == fileName }) else { return nil }
      self = format
    }

    /// The media type of the document.
    package var mediaType: String {
      switch self {
      case .atom: "application/atom+xml; charset=utf-8"
      case .jsonfeed: "application/feed+json; charset=utf-8"
      case .ics: "text/calendar; charset=utf-8"
      }
    }
  }

  /// An entry: a notice, or the end of an offer.
  package struct Entry: Sendable {
    /// The identity, unique in the feed and the same in each document. Other characters than letters, digits, `-` and
    /// `.` stand as the numbers of their bytes.
    let id: String
    let title: String
    let text: String
    let link: URL?
    /// When it happened; for the end of an offer, when it ends.
    let at: Date
    /// When the entry last changed.
    let changedAt: Date

    /// - Parameter changedAt: when the entry last changed; nil for when it happened.
    package init(
      id: String, title: String, text: String, link: URL?, at: Date, changedAt: Date? = nil
    ) {
      var name = ""
      for byte in id.utf8 {
        if ASCII.isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
          name.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          name += "_\(byte)_"
        }
      }
      self.id = name
      self.title = NoticeFeed.line(title, characters: 200)
      self.text = NoticeFeed.line(text, characters: 1000)
      self.link = link
      self.at = at
      self.changedAt = changedAt ?? at
    }
  }

  private let title: String
  /// The name of the feed among those of its database.
  private let name: String
  /// The identity of the database.
  private let identity: String
  /// The address of the feed; nil for one that is printed.
  private let address: URL?
  private let entries: [Entry]

  /// The most entries of a feed.
  package static let mostEntries = 200

  /// - Parameters:
  ///   - title: the title for people.
  ///   - name: the name of the feed among those of its database, such as `news-1`: letters, digits and `-`.
  ///   - identity: the identity of the database: letters and digits.
  ///   - address: the address from which the feed is read; nil for none.
  ///   - entries: the entries in the order in which they are read. Those behind `mostEntries` are left out.
  package init(
    title: String, name: String, identity: String, address: URL? = nil, entries: [Entry]
  ) {
    self.title = Self.line(title, characters: 200)
    self.name = name
    self.identity = identity
    self.address = address
    self.entries = Array(entries.prefix(Self.mostEntries))
  }

  /// A text in one line, without the noncharacters that XML does not have.
  private static func line(_ text: String, characters: Int) -> String {
    let scalars = text.unicodeScalars.filter { $0.value & 0xFFFE != 0xFFFE }
    return SafeText.line(String(String.UnicodeScalarView(scalars)), characters: characters)
  }

  /// The identity of the feed or of an entry: an absolute IRI.
  private func iri(_ name: String) -> String { "urn:x-offers:\(identity):\(name)" }

  /// The document.
  package func document(_ format: Format) -> String {
    switch format {
    case .atom: atom
    case .jsonfeed: jsonFeed
    case .ics: calendar
    }
  }

  private var atom: String {
    let updated = entries.map(\.at).max() ?? Date(timeIntervalSince1970: 0)
    var text = """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom">
        <id>\(SafeText.html(iri(name)))</id>
        <title>\(SafeText.html(title))</title>
        <updated>\(ISOTime.text(updated.storedSeconds))</updated>
        <author><name>offers</name></author>

      """
    if let address {
      text += "  <link rel=\"self\" href=\"\(SafeText.html(address.absoluteString))\"/>\n"
    }
    for entry in entries {
      text += "  <entry>\n    <id>\(SafeText.html(iri(entry.id)))</id>\n"
      text += "    <title>\(SafeText.html(entry.title))</title>\n"
      text += "    <updated>\(ISOTime.text(entry.at.storedSeconds))</updated>\n"
      if let link = entry.link {
        text += "    <link rel=\"alternate\" href=\"\(SafeText.html(link.absoluteString))\"/>\n"
      }
      text += "    <content type=\"text\">\(SafeText.html(entry.text))</content>\n  </entry>\n"
    }
    return text + "</feed>\n"
  }

  private var jsonFeed: String {
    JSONWriter.document { json in
      json.member("version", "https://jsonfeed.org/version/1.1")
      json.member("title", title)
      if let address { json.member("feed_url", address.absoluteString) }
      json.member("items", objects: entries) { json, entry in
        json.member("id", iri(entry.id))
        if let link = entry.link { json.member("url", link.absoluteString) }
        json.member("title", entry.title)
        json.member("content_text", entry.text)
        json.member("date_published", entry.at)
      }
    }
  }

  // MARK: iCalendar

  private var calendar: String {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//offers//offers//EN", "CALSCALE:GREGORIAN",
      "X-WR-CALNAME:\(Self.escaped(title))",
    ]
    for entry in entries {
      lines += [
        "BEGIN:VEVENT", "UID:\(entry.id)@\(identity)", "DTSTAMP:\(Self.time(entry.changedAt))",
        "DTSTART\(Self.start(entry.at))", "SUMMARY:\(Self.escaped(entry.title))",
        "DESCRIPTION:\(Self.escaped(entry.text))", "TRANSP:TRANSPARENT",
      ]
      if let link = entry.link { lines.append("URL:\(link.absoluteString)") }
      lines.append("END:VEVENT")
    }
    lines.append("END:VCALENDAR")
    return lines.map { Self.folded($0) + "\r\n" }.joined()
  }

  /// The start of an event with its parameters. An end without a time, which is the last second of a day in UTC, is
  /// that day wherever the calendar is.
  private static func start(_ date: Date) -> String {
    let (text, end) = (time(date), "T235959Z")
    return text.hasSuffix(end) ? ";VALUE=DATE:\(text.dropLast(end.count))" : ":\(text)"
  }

  /// A time in UTC: `20261129T171500Z` (RFC 5545, 3.3.5).
  private static func time(_ date: Date) -> String {
    String(
      decoding: ISOTime.text(date.storedSeconds).utf8.filter {
        $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":")
      }, as: UTF8.self)
  }

  /// A text as a value (RFC 5545, 3.3.11).
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if [UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ",")].contains(byte) {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A line in pieces of at most 75 bytes, cut between characters (RFC 5545, 3.1).
  private static func folded(_ line: String) -> String {
    var text = String.UnicodeScalarView()
    var count = 0
    for scalar in line.unicodeScalars {
      let size = UTF8.width(scalar)
      if count + size > 75 {
        text.append(contentsOf: "\r\n ".unicodeScalars)
        count = 1
      }
      text.append(scalar)
      count += size
    }
    return String(text)
  }
}
