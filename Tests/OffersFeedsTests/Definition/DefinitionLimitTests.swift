import OffersCore
import OffersFeeds
import Testing

@Suite("Limits of a definition file")
struct DefinitionLimitTests {
  private func refusal(_ text: String) -> OffersError? {
    #expect(throws: OffersError.self) { try DefinitionFile.parse(text, name: "f.yaml") }
  }

  /// Lists of lists, each ten times as large as the one before.
  private static func bomb(levels: Int) -> String {
    var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in 1...levels {
      let aliases = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      lines.append("a\(level): &a\(level) [\(aliases)]")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test("a file above 1 MiB is refused before it is parsed")
  func boundsSize() {
    let error = refusal("feeds: {}\n" + String(repeating: "#", count: 1 << 20))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "f.yaml:1: the file is larger than 1 MiB.")
  }

  @Test("a file of 1 MiB is parsed")
  func readsLargest() throws {
    let start = "feeds: {}\n"
    let text = start + String(repeating: "#", count: (1 << 20) - start.utf8.count)
    #expect(try DefinitionFile.parse(text, name: "f.yaml").isEmpty)
  }

  @Test("a hundred aliases are allowed, one more is not")
  func boundsAliases() throws {
    func file(_ count: Int) -> String {
      let labels = (1...count).map { "      L\($0): *a\n" }.joined()
      return "feeds:\n  x:\n    id: &a id\n    fields: {name: n}\n    attributes:\n" + labels
    }
    #expect(try DefinitionFile.parse(file(100), name: "f")[0].attributes.count == 100)
    let error = refusal(file(101))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("the file expands to more than 100 aliases.") == true)
  }

  @Test("nested aliases cannot expand beyond the limits", arguments: [2, 9, 40])
  func defusesBombs(levels: Int) {
    #expect(refusal(Self.bomb(levels: levels))?.code == .limitExceeded)
  }

  @Test(
    "aliases in keys cannot expand beyond the limits",
    arguments: ["? *a9\n: x\n", "*a9 : x\n", "{*a9: x}\n", "{[*a9, *a9]: x}\n", "[*a9]: x\n"])
  func defusesKeys(key: String) {
    let text = Self.bomb(levels: 9) + (key.hasPrefix("{") ? "b: \(key)" : key)
    #expect(refusal(text)?.code == .limitExceeded)
  }

  @Test("many aliases are allowed in a file with URLs and wildcards")
  func toleratesAddresses() throws {
    let labels = (1...20).map { "      L\($0): *a\n" }.joined()
    let text = """
      feeds:
        x: # **really?** yes
          source: https://x.example/?a=b&c=*d
          id: &a id
          fields: {name: "genres[*].name"}
          attributes:\n
      """
    #expect(try DefinitionFile.parse(text + labels, name: "f")[0].attributes.count == 20)
  }

  @Test("an alias within its own anchor is refused")
  func refusesCircles() {
    #expect(refusal("feeds: &a\n  x: *a\n")?.code == .invalidRequest)
  }

  @Test("a file with too many levels of nesting is refused", arguments: [65, 900, 20_000, 400_000])
  func boundsDepth(depth: Int) {
    let text = "feeds: " + String(repeating: "[", count: depth)
    #expect(refusal(text + String(repeating: "]", count: depth)) != nil)
  }

  @Test("a file with too many values is refused")
  func boundsValues() {
    let error = refusal("feeds: [" + String(repeating: "a,", count: 100_001) + "]")
    #expect(error?.code == .limitExceeded)
  }
}
