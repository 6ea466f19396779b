import OffersCore

/// Style sheets and scripts as browsers get them: without the comments and the indentation, which would be a fifth
/// of what a first visit loads.
///
/// The sources are written so that lines can be read by themselves: a comment in a script has lines of its own, one in
/// a style sheet may also end a line, and no text spans lines.
enum CompactText {
  /// The text without comments, empty lines and indentation. Other lines stay apart, as scripts need.
  static func make(_ source: String) -> String {
    var lines: [Substring] = []
    var isComment = false
    for whole in source.split(scalar: "\n") {
      var line = whole.drop { $0 == " " }
      if isComment || line.hasPrefix("/*") {
        isComment = !line.hasSuffix("*/")
        continue
      }
      if line.hasSuffix("*/"), let start = line.firstRange(of: " /* ")?.lowerBound {
        line = line[..<start]
      }
      if !line.isEmpty, !line.hasPrefix("//") { lines.append(line) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
