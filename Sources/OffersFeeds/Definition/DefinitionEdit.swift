import OffersCore

/// Changes a person's file of definitions without touching the rest of it, comments included.
package enum DefinitionEdit {
  /// The file with a definition added at its end; a new one when there is none yet.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when the file is wrong, or written in a way that
  ///   cannot be added to.
  package static func adding(
    _ definition: FeedDefinition, to yaml: String?, name fileName: String
  ) throws -> String {
    let block = DefinitionText.yaml(for: definition)
    guard let yaml, yaml.contains(where: { !$0.isWhitespace }) else { return block }
    let before = try DefinitionFile.parse(yaml, name: fileName)
    let lines = block.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    let indent = childIndent(of: yaml) ?? 2
    let added = lines.map { line in
      line.isEmpty ? "" : String(repeating: " ", count: indent - 2) + line
    }.joined(separator: "\n")
    let base = before.isEmpty ? "feeds:\n" : yaml.hasSuffix("\n") ? yaml : yaml + "\n"
    let result = base + added
    let after = try? DefinitionFile.parse(result, name: fileName)
    guard after == before + [definition] else {
      throw OffersError(
        .invalidRequest, "\(fileName) is written in a way that cannot be added to.",
        hint: "Add it there yourself: offers feeds guess SOURCE prints a definition.")
    }
    return result
  }

  /// The file without a definition; nil when it does not hold it.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when the file is wrong, or written in a way that
  ///   cannot be taken from.
  package static func removing(
    _ name: String, from yaml: String, name fileName: String
  ) throws -> String? {
    let before = try DefinitionFile.parse(yaml, name: fileName)
    let rest = before.filter { $0.name != name }
    if rest.count == before.count { return nil }
    if rest.isEmpty { return "feeds: {}\n" }
    var lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if let indent = childIndent(of: yaml), let range = block(of: name, in: lines, indent: indent) {
      lines.removeSubrange(range)
    }
    let result = lines.joined(separator: "\n")
    guard (try? DefinitionFile.parse(result, name: fileName)) == rest else {
      throw OffersError(
        .invalidRequest, "\(fileName) is written in a way that \(name) cannot be taken from it.",
        hint: "Remove it there yourself.")
    }
    return result
  }

  /// How far the feeds' names are indented.
  private static func childIndent(of yaml: String) -> Int? {
    var isBelow = false
    for line in yaml.split(separator: "\n") {
      let text = line.drop { $0 == " " }
      if text.isEmpty || text.first == "#" { continue }
      if isBelow { return line.count - text.count }
      isBelow = line.hasPrefix("feeds:")
    }
    return nil
  }

  /// The lines of one feed, from its name to before the next one's or the comment above that.
  private static func block(of name: String, in lines: [String], indent: Int) -> Range<Int>? {
    func isName(_ line: String) -> Bool {
      let text = line.drop { $0 == " " }
      return line.count - text.count == indent
        && ["\(name):", "\"\(name)\":", "'\(name)':"].contains { text.hasPrefix($0) }
    }
    guard let start = lines.firstIndex(where: isName) else { return nil }
    var end = start + 1
    while end < lines.count {
      let text = lines[end].drop { $0 == " " }
      if !text.isEmpty, lines[end].count - text.count <= indent { break }
      end += 1
    }
    return start..<end
  }
}
