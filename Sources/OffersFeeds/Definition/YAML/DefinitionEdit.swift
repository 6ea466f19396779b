import OffersCore

/// Edits a user's definition file and keeps the rest of it: comments, other keys and line endings.
///
/// The result is parsed again. An edit that would change anything besides its target is refused.
package enum DefinitionEdit {
  /// Returns the file with a definition appended to its feeds, or a new file when there is none
  /// yet.
  ///
  /// - Parameters:
  ///   - text: the text of a file with this one definition. A comment above its `feeds:` is added
  ///     above the definition.
  ///   - yaml: the file's present text; nil for none.
  ///   - fileName: the file's name in messages.
  /// - Throws: `OffersError` with `invalidRequest` when the file or the definition is invalid, or
  ///   the file's layout does not allow the edit; `limitExceeded` when the result is too large.
  package static func adding(
    _ text: String, to yaml: String?, name fileName: String
  ) throws -> String {
    let added = try DefinitionFile.parse(text, name: "definition")
    let parts = text.utf8.split(separator: 0x0A).split(
      maxSplits: 1, omittingEmptySubsequences: false
    ) { $0.elementsEqual("feeds:".utf8) }
    // Indented below `feeds:`, the comment belongs to its feed and is removed along with it; at the
    // margin it would belong to the whole file.
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
        advice: Hint("Add it there yourself.", command: "offers feeds show NAME"))
    }
    return result
  }

  /// Returns the file without a definition and the comment directly above it, or nil when the file
  /// does not have the definition. The feed's lines below `intervals:` and `currencies:` are removed as well,
  /// unless a shipped feed has the same name.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when the file is invalid, or its layout does not
  ///   allow the edit.
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
    if !FeedCatalog.names.contains(name) {
      // A setting for a feed that does not exist makes the file invalid.
      removeSetting(of: name, from: &result, DefinitionFile.intervalsKey, &rest.intervals)
      removeSetting(of: name, from: &result, DefinitionFile.currenciesKey, &rest.currencies)
    }
    guard holds(result, rest) else {
      throw OffersError(
        .invalidRequest, "\(fileName) has a layout from which \(name) cannot be removed.",
        hint: "Remove it there yourself.")
    }
    return result
  }

  /// Returns the file with another sync interval for a feed, or nil when it has this interval
  /// already.
  ///
  /// - Parameters:
  ///   - everySeconds: the interval; nil to remove it, so that that of the definition applies.
  ///   - name: a shipped feed, or a feed of the file.
  ///   - yaml: the file's present text; nil for none.
  ///   - fileName: the file's name in messages.
  /// - Throws: `OffersError` with `invalidRequest` when the interval is not whole minutes from one
  ///   minute to a year, when the file is invalid, or when its layout does not allow the edit.
  package static func setting(
    everySeconds: Int?, of name: String, in yaml: String?, name fileName: String
  ) throws -> String? {
    if let everySeconds { try IntervalText.check(everySeconds) }
    return try setting(
      DefinitionFile.intervalsKey, \.intervals, to: everySeconds,
      written: everySeconds.map { IntervalText.text(seconds: $0) }, of: name, in: yaml,
      name: fileName, as: "\(name): 6h")
  }

  /// Returns the file with another currency for a feed, or nil when it has this currency already.
  ///
  /// - Parameters:
  ///   - currency: the ISO 4217 code; nil to remove it, so that that of the definition applies.
  ///   - name: a shipped feed, or a feed of the file.
  ///   - yaml: the file's present text; nil for none.
  ///   - fileName: the file's name in messages.
  /// - Throws: `OffersError` with `invalidRequest` for another text than a code, when the file is
  ///   invalid, or when its layout does not allow the edit.
  package static func setting(
    currency: String?, of name: String, in yaml: String?, name fileName: String
  ) throws -> String? {
    if let currency, CurrencyCode(currency) == nil {
      let upper = currency.uppercased()
      throw OffersError(
        .invalidRequest, "“\(currency)” is not a currency of ISO 4217.",
        hint: CurrencyCode(upper) == nil
          ? "Write the code of the money that people pay in, such as USD."
          : "Did you mean \(upper)?")
    }
    return try setting(
      DefinitionFile.currenciesKey, \.currencies, to: currency, written: currency, of: name,
      in: yaml, name: fileName, as: "\(name): USD")
  }

  /// Removes a feed's value, if there is one, from a section with a value for each of some feeds.
  private static func removeSetting<Value>(
    of name: String, from yaml: inout String, _ section: String, _ values: inout [String: Value]
  ) {
    if values.removeValue(forKey: name) == nil { return }
    var lines = DefinitionLines(yaml, section: section)
    lines.remove(name, hasComment: false)
    if values.isEmpty { lines.setEmpty() }
    yaml = lines.text
  }

  /// Sets a feed's value in a section with a value for each of some feeds.
  private static func setting<Value>(
    _ section: String, _ values: WritableKeyPath<DefinitionContents, [String: Value]>,
    to value: Value?, written text: String?, of name: String, in yaml: String?,
    name fileName: String, as example: String
  ) throws -> String? {
    let isBlank = yaml?.unicodeScalars.allSatisfy(\.properties.isWhitespace) ?? true
    let before = isBlank ? "feeds: {}\n" : try completed(yaml ?? "", name: fileName)
    let old = try DefinitionFile.contents(before, name: fileName)
    var contents = old
    contents[keyPath: values][name] = value
    if contents == old { return nil }
    var lines = DefinitionLines(before, section: section)
    if let text {
      lines.set(name, to: text)
    } else {
      lines.remove(name, hasComment: false)
    }
    if contents[keyPath: values].isEmpty { lines.setEmpty() }
    guard holds(lines.text, contents) else {
      throw OffersError(
        .invalidRequest, "\(fileName) has a layout in which its \(section) cannot be changed.",
        hint: "Write it there yourself, below \(section): as in \(example)")
    }
    return lines.text
  }

  /// Returns the file with an empty `feeds:` added where it has none, as when all its lines are
  /// comments.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when the file is invalid in another way.
  package static func completed(_ yaml: String, name fileName: String) throws -> String {
    var lines = DefinitionLines(yaml)
    lines.addSection()
    if (try? DefinitionFile.contents(lines.text, name: fileName)) != nil { return lines.text }
    // Another mistake is reported with its line in the original file.
    _ = try DefinitionFile.contents(yaml, name: fileName)
    return yaml
  }

  /// Whether a file parses to exactly these contents.
  private static func holds(_ yaml: String, _ contents: DefinitionContents) -> Bool {
    // An edit that makes the file invalid is refused like any other wrong edit.
    (try? DefinitionFile.contents(yaml, name: "")) == contents
  }
}
