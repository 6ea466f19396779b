import OffersCore
import Yams

/// Converts an error of the YAML parser to an `OffersError` with its location and a hint.
struct YAMLProblem {
  let yaml: String
  let file: String

  func describe(_ error: YamlError) -> OffersError {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      return syntax(problem, context: context, mark: mark)
    case .duplicatedKeysInMapping(let keys, let context):
      return duplicate(keys.first ?? "", mark: context.mark)
    case .reader(let problem, let offset, _, _):
      let before = yaml.prefix(offset ?? 0)
      return location(before.count(where: \.isNewline) + 1).problem(
        "this is not text for YAML: \(problem).", hint: "Save the file as plain UTF-8 text.")
    default:
      return location(1).problem("the file cannot be read as YAML: \(error).")
    }
  }

  private func syntax(
    _ problem: String, context: YamlError.Context?, mark: Mark
  ) -> OffersError {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let first = max(1, min(context?.mark.line ?? mark.line, mark.line))
    // The parser often reports a tab one line too late.
    for line in first...max(first, mark.line) where line <= lines.count {
      if lines[line - 1].prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
        return location(line).problem(
          "the line is indented with a tab.", hint: "YAML wants spaces, two a level.")
      }
    }
    // The parser reports a missing closing character at the end of the file, and a missing colon
    // one line too late.
    let rest = lines.dropFirst(mark.line - 1).joined().dropFirst(mark.column - 1)
    let isLate = rest.allSatisfy(\.isWhitespace) || problem.contains("expected ':'")
    let last = lines.lastIndex { !$0.allSatisfy(\.isWhitespace) } ?? 0
    let line = isLate ? min(first, last + 1) : mark.line
    let around = context.map { ", \($0.text)" } ?? ""
    let start = context.map { $0.mark.line == line ? "" : " of line \($0.mark.line)" } ?? ""
    return location(line).problem(
      "this is not valid YAML: \(problem)\(around)\(start).", hint: Self.hint(for: problem))
  }

  /// The probable cause of a common mistake.
  private static func hint(for problem: String) -> String? {
    let hints = [
      ("cannot start any token", "A text that begins with @ or ` or % is quoted, as in \"@href\"."),
      ("alphabetic or numeric", "A text that begins with * or & is quoted, as in \"*\"."),
      ("undefined alias", "A text that begins with * is quoted, as in \"*\"."),
      (
        "expected ',' or",
        "Within { } or [ ] a text with brackets or braces is quoted: {from: \"genres[*].name\"}."
      ),
      ("<document start>", "A text that begins with [ or { is quoted, as in \"[0].name\"."),
      ("block end", "A text that begins with [ or { is quoted, as in \"{title}\"."),
      (
        "expected key",
        "Check the indentation; a text that begins with a bracket or quote is quoted as a whole."
      ),
      (
        "mapping values",
        "A colon and a space follow each key; a text that has them in it is quoted."
      ),
      ("could not find expected ':'", "A key is followed by a colon and a space."),
    ]
    return hints.first { problem.contains($0.0) }?.1
  }

  /// The parser reports the line of the first key; the second one is searched for in the text.
  private func duplicate(_ key: String, mark: Mark) -> OffersError {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for line in mark.line..<max(mark.line, lines.count) {
      let rest = lines[line].drop { $0 == " " }
      if rest.isEmpty || rest.first == "#" { continue }
      let column = lines[line].count - rest.count + 1
      if column < mark.column { break }
      let names = [key, "\"\(key)\"", "'\(key)'"]
      let isKey = names.contains { rest.hasPrefix($0) && rest.dropFirst($0.count).first == ":" }
      if column == mark.column, isKey {
        return location(line + 1).problem(
          "“\(key)” is a duplicate; it is in line \(mark.line) already.")
      }
    }
    return location(mark.line).problem("“\(key)” occurs twice in the same mapping.")
  }

  private func location(_ line: Int) -> DefinitionNode.Location {
    DefinitionNode.Location(file: file, line: line)
  }
}
