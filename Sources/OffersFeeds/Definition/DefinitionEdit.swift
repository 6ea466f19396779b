import OffersCore

/// Changes a person's file of definitions without touching the rest of it: comments, other keys
/// and the line ends it has.
///
/// What comes out is read again; an edit that would change anything else is refused.
package enum DefinitionEdit {
  /// The file with a definition added below its others; a new one when there is none yet.
  ///
  /// - Parameter text: a whole file with the definition alone. The comment above it goes with it.
  /// - Throws: `OffersError` with `invalidRequest` when the file or the definition is wrong, or the
  ///   file is written in a way that cannot be added to; `limitExceeded` when it gets too large.
  package static func adding(
    _ text: String, to yaml: String?, name fileName: String
  ) throws -> String {
    let added = try DefinitionFile.parse(text, name: "definition")
    let parts = text.utf8.split(separator: 0x0A).split(
      maxSplits: 1, omittingEmptySubsequences: false
    ) { $0.elementsEqual("feeds:".utf8) }
    // Below the key a comment is told from one on the whole file, and is taken out with its feed.
    let comment = parts.count == 2 ? parts[0].map { Array("  ".utf8) + $0 } : []
    let block = comment + (parts.last ?? []).map { Array($0) }
    guard let yaml, yaml.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      let lines = [Array("feeds:".utf8)] + block + [[]]
      return String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
    }
    let before = try completed(yaml, name: fileName)
    let contents = try DefinitionFile.contents(before, name: fileName)
    var lines = DefinitionLines(before)
    lines.add(block)
    let result = lines.text
    try DefinitionSource.checkSize(of: result, name: fileName)
    var expected = contents
    expected.feeds += added
    guard holds(result, expected) else {
      throw OffersError(
        .invalidRequest, "\(fileName) has a layout to which no feed can be added.",
        hint: "Add it there yourself: offers feeds show NAME, or guess SOURCE, prints it.")
    }
    return result
  }

  /// The file without a definition, and without the comment directly above it; nil when it does not
  /// hold it.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when the file is wrong, or written in a way that
  ///   cannot be taken from.
  package static func removing(
    _ name: String, from yaml: String, name fileName: String
  ) throws -> String? {
    let contents = try DefinitionFile.contents(yaml, name: fileName)
    var rest = contents
    rest.feeds.removeAll { $0.name == name }
    if rest == contents { return nil }
    var lines = DefinitionLines(yaml)
    lines.remove(name)
    if rest.feeds.isEmpty { lines.setEmpty() }
    var result = lines.text
    if !FeedCatalog.names.contains(name), contents.intervals[name] != nil {
      // An interval of no feed would be a mistake.
      rest.intervals[name] = nil
      var intervals = DefinitionLines(result, section: DefinitionFile.intervalsKey)
      intervals.remove(name, hasComment: false)
      if rest.intervals.isEmpty { intervals.setEmpty() }
      result = intervals.text
    }
    guard holds(result, rest) else {
      throw OffersError(
        .invalidRequest, "\(fileName) has a layout from which \(name) cannot be removed.",
        hint: "Remove it there yourself.")
    }
    return result
  }

  /// The file with another interval for a feed; nil when it says so already.
  ///
  /// - Parameters:
  ///   - everySeconds: how often to sync it; nil for what its definition says.
  ///   - name: a shipped feed, or one of the file.
  /// - Throws: `OffersError` with `invalidRequest` for no whole minutes or less than one or more than
  ///   a year, or when the file is wrong, or written in a way that cannot be changed.
  package static func setting(
    everySeconds: Int?, of name: String, in yaml: String?, name fileName: String
  ) throws -> String? {
    if let everySeconds { try IntervalText.check(everySeconds) }
    let isBlank = yaml?.unicodeScalars.allSatisfy(\.properties.isWhitespace) ?? true
    let before = isBlank ? "feeds: {}\n" : try completed(yaml ?? "", name: fileName)
    var contents = try DefinitionFile.contents(before, name: fileName)
    if contents.intervals[name] == everySeconds { return nil }
    var lines = DefinitionLines(before, section: DefinitionFile.intervalsKey)
    if let everySeconds {
      lines.set(name, to: IntervalText.text(seconds: everySeconds))
    } else {
      lines.remove(name, hasComment: false)
    }
    contents.intervals[name] = everySeconds
    if contents.intervals.isEmpty { lines.setEmpty() }
    guard holds(lines.text, contents) else {
      throw OffersError(
        .invalidRequest, "\(fileName) has a layout in which its intervals cannot be changed.",
        hint: "Write it there yourself, below intervals: as in \(name): 6h")
    }
    return lines.text
  }

  /// The file with an empty `feeds:` where it has none yet, as one of comments alone.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when something else is wrong with it.
  package static func completed(_ yaml: String, name fileName: String) throws -> String {
    var lines = DefinitionLines(yaml)
    lines.addSection()
    if (try? DefinitionFile.contents(lines.text, name: fileName)) != nil { return lines.text }
    // What is wrong besides is told by the line it has in the file itself.
    _ = try DefinitionFile.contents(yaml, name: fileName)
    return yaml
  }

  /// Whether a file says this and nothing else.
  private static func holds(_ yaml: String, _ contents: DefinitionContents) -> Bool {
    // What cannot be read is no right edit either.
    (try? DefinitionFile.contents(yaml, name: "")) == contents
  }
}
