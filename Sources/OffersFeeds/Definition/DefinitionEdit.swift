import OffersCore

/// Changes a person's file of definitions without touching the rest of it: comments, other keys
/// and the line ends it has.
///
/// What comes out is read again; an edit that would change anything else is refused.
package enum DefinitionEdit {
  /// The file with a definition added below its others; a new one when there is none yet.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when the file or the definition is wrong, or the
  ///   file is written in a way that cannot be added to; `limitExceeded` when it gets too large.
  package static func adding(
    _ definition: FeedDefinition, to yaml: String?, name fileName: String
  ) throws -> String {
    let block = DefinitionText.yaml(for: definition)
    _ = try DefinitionFile.parse(block, name: definition.name)
    guard let yaml, yaml.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      return block
    }
    let before = try completed(yaml, name: fileName)
    let contents = try DefinitionFile.contents(before, name: fileName)
    var lines = DefinitionLines(before)
    lines.add(block.utf8.split(separator: 0x0A).dropFirst().map { Array($0) })
    let result = lines.text
    try DefinitionSource.checkSize(of: result, name: fileName)
    guard holds(result, contents.feeds + [definition], contents.allowsPrivateNetwork) else {
      throw OffersError(
        .invalidRequest, "\(fileName) is written in a way that cannot be added to.",
        hint: "Add it there yourself: offers feeds guess SOURCE prints a definition.")
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
    let rest = contents.feeds.filter { $0.name != name }
    if rest.count == contents.feeds.count { return nil }
    var lines = DefinitionLines(yaml)
    lines.remove(name)
    if rest.isEmpty { lines.setNoFeeds() }
    let result = lines.text
    guard holds(result, rest, contents.allowsPrivateNetwork) else {
      throw OffersError(
        .invalidRequest, "\(fileName) is written in a way that \(name) cannot be taken from it.",
        hint: "Remove it there yourself.")
    }
    return result
  }

  /// The file with an empty `feeds:` where it has none yet, as one of comments alone.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when something else is wrong with it.
  package static func completed(_ yaml: String, name fileName: String) throws -> String {
    do {
      _ = try DefinitionFile.contents(yaml, name: fileName)
      return yaml
    } catch {
      var lines = DefinitionLines(yaml)
      lines.addFeeds()
      // What is wrong besides is told by the line it has in the file itself.
      guard (try? DefinitionFile.contents(lines.text, name: fileName)) != nil else { throw error }
      return lines.text
    }
  }

  /// Whether a file says this and nothing else.
  private static func holds(
    _ yaml: String, _ feeds: [FeedDefinition], _ allowsPrivateNetwork: Bool
  ) -> Bool {
    // What cannot be read is no right edit either.
    guard let contents = try? DefinitionFile.contents(yaml, name: "") else { return false }
    return contents.feeds == feeds && contents.allowsPrivateNetwork == allowsPrivateNetwork
  }
}
