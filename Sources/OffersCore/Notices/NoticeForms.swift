import Foundation

/// The forms of a message: plain text, HTML and JSON.
extension NoticeMessage {
  /// The words that count entries without a name, and the command that lists them: `and 35 more: offers notices`.
  private static func moreText(_ count: Int) -> String? {
    count > 0 ? Hint("and \(Units.count(count)) more", command: "offers notices").printed : nil
  }

  /// The entries as plain text, a paragraph each, without the title.
  ///
  /// - Parameters:
  ///   - hasLinks: whether the addresses of the offers are in it.
  ///   - limit: the most units of `measure`. Of a longer text whole entries are left out at its end, and counted.
  ///   - measure: the length of a text; by default, in bytes of UTF-8.
  package func plainText(
    hasLinks: Bool = true, limit: Int = .max, measure: (String) -> Int = { $0.utf8.count }
  ) -> String {
    fitted(limit, separator: "\n\n", measure: measure) { entry in
      var lines = [entry.text]
      if let watch = entry.watch { lines.append("Watch: \(watch)") }
      if hasLinks, let link = entry.link { lines.append(link.absoluteString) }
      if let command = entry.command { lines.append(command) }
      return lines.joined(separator: "\n")
    }
  }

  /// The entries as texts of a channel's own form, joined, with as many of them as fit.
  ///
  /// - Parameters:
  ///   - limit: the most units of `measure`; at least the length of one entry.
  ///   - write: an entry in the channel's form.
  /// - Returns: a text that ends with the number of the entries that are not in it, if there are any.
  package func fitted(
    _ limit: Int, separator: String, measure: (String) -> Int,
    write: (Entry) -> String
  ) -> String {
    let texts = entries.map(write)
    for count in stride(from: texts.count, through: 0, by: -1) {
      let more = [Self.moreText(moreCount.adding(clamped: texts.count - count))].compactMap(\.self)
      let text = (texts.prefix(count) + more).joined(separator: separator)
      if count == 0 || measure(text) <= limit { return text }
    }
    return ""
  }

  /// The message as a document of plain text, with its title and its links.
  package var plainDocument: String {
    var parts = [title, plainText()]
    if let link { parts.append("All of it: \(link.absoluteString)") }
    if let settingsLink {
      parts.append("Change or end these messages: \(settingsLink.absoluteString)")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// The message as a document of HTML. It loads nothing, so that nobody learns when it is read.
  package var htmlDocument: String {
    let title = SafeText.html(title)
    var html =
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>\(title)</title></head><body>\n"
    html += "<h1 style=\"font-size:1.2em\">\(title)</h1>\n<ul>\n"
    for entry in entries { html += "<li>\(Self.html(entry))</li>\n" }
    html += "</ul>\n"
    if let moreText = Self.moreText(moreCount) { html += "<p>\(moreText)</p>\n" }
    if let link { html += "<p>\(Self.anchor(link, "All of it"))</p>\n" }
    if let settingsLink {
      html += "<p>\(Self.anchor(settingsLink, "Change or end these messages"))</p>\n"
    }
    return html + "</body></html>\n"
  }

  private static func html(_ entry: Entry) -> String {
    var html = entry.link.map { anchor($0, entry.name) } ?? SafeText.html(entry.name)
    if !entry.sentence.isEmpty { html += " \(SafeText.html(entry.sentence))" }
    if let watch = entry.watch { html += "<br>Watch: \(SafeText.html(watch))" }
    if let command = entry.command { html += "<br><code>\(SafeText.html(command))</code>" }
    return html
  }

  /// A link in HTML.
  ///
  /// - Parameter text: its text, which is escaped.
  package static func anchor(_ link: URL, _ text: String) -> String {
    "<a href=\"\(SafeText.html(link.absoluteString))\">\(SafeText.html(text))</a>"
  }

  /// The message as one JSON document.
  package var json: String { JSONWriter.document { $0.members(of: self) } }
}

extension JSONWriter {
  /// Writes the members of a message.
  package mutating func members(of message: NoticeMessage) {
    member("id", message.id)
    member("at", message.time)
    member("title", message.title)
    member("text", message.plainText())
    member("urgent", message.isUrgent)
    member("link", message.link?.absoluteString)
    member("settings_link", message.settingsLink?.absoluteString)
    member("entries", objects: message.entries) { json, entry in
      json.member("feed", entry.feed)
      json.member("ref", entry.offer?.description)
      json.member("name", entry.name)
      json.member("sentence", entry.sentence)
      json.member("watch", entry.watch)
      json.member("link", entry.link?.absoluteString)
      json.member("state") { json in
        json.object { json in for fact in entry.facts { json.member(fact.name, fact.value) } }
      }
      json.member("command", entry.command)
    }
    member("more", message.moreCount)
  }
}
