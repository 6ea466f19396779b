/// An export of the version before there were users, format 1.
public enum OldExport {
  /// The text of an export of one user as format 1 has it: with that version, and without the user and
  /// how the offers of feeds are shown.
  public static func downgraded(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var rest = lines.map { String($0).replacing(/^{"user":"[^"]*",/, with: "{") }
    if let start = rest.firstIndex(of: "\"users\":["),
      let end = rest.firstIndex(of: "\"favorites\":[")
    {
      rest.removeSubrange(start..<end)
    }
    return rest.joined(separator: "\n").replacing("\"version\":4", with: "\"version\":1")
      .replacing(/,"presentation":(null|{[^}]*})/, with: "")
  }

  /// The export of a database of that version.
  public static var text: String { get throws { try StoredVersion.text("export_1.json") } }

  /// The export of its favorites as this version writes it: without the places that were read.
  public static var sharedText: String {
    get throws {
      try StoredVersion.text("favorites_1.json")
        .replacing("\"/feeds/ibotta.json\"", with: "\"{hidden}\"")
    }
  }
}
