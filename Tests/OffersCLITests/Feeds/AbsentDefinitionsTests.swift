import Foundation
import Testing

@Suite("A file of definitions that does not exist")
struct AbsentDefinitionsTests {
  private static func absent(_ home: Home) -> [String: String] {
    ["OFFERS_CONFIG": home.folder.file("absent.yaml")]
  }

  private static func run(_ home: Home, _ words: String...) async throws -> OffersProgram.Result {
    try await home.call(words, with: absent(home))
  }

  @Test("commands that need no own definition work when OFFERS_CONFIG names an absent file")
  func works() async throws {
    let home = try Home()
    for words in [
      ["sync"], ["list"], ["search", "tea"], ["show", "900117"], ["changes"], ["status"], ["feeds"],
      ["feeds", "show", "albums"], ["feeds", "set", "ibotta", "--every", "6h"],
    ] {
      try await home.expect(words, with: Self.absent(home))
      if words == ["status"] {
        let doctor = try await Self.run(home, "doctor")
        #expect(doctor.status == 0)
        #expect(doctor.output.contains("there is no file"))
      }
    }
  }

  @Test("a command that needs a definition names the absent file and how to add a feed")
  func explains() async throws {
    let home = try Home()
    for words in [["sync", "tea"], ["feeds", "show", "tea"], ["feeds", "check", "tea"]] {
      try await home.expect(
        words, status: 66, says: ["absent.yaml", "offers feeds add NAME SOURCE"],
        with: Self.absent(home))
    }
    let absent = home.folder.file("absent.yaml")
    try await home.expect(
      "sync", "tea", "--config", absent, status: 66, says: ["offers feeds add NAME SOURCE"])
    // A shipped feed needs no definition.
    try await home.expect("sync", "facts", "--from", "sample", "--config", absent)
    let doctor = try await home.call("doctor", "--config", absent)
    #expect(doctor.output.contains("absent.yaml, which --config names"))
  }

  @Test("subscribed feeds that lack their definition are not left out in silence")
  func refusesSync() async throws {
    let home = try Home()
    try home.folder.write(#"[{"id":"1","title":"Rug","price":"$1"}]"#, to: "shop.json")
    let own = try home.folder.write(
      "feeds: {shop: {source: \"\(home.folder.file("shop.json"))\", id: id, fields: {name: title}}}\n",
      to: "own.yaml")
    try await home.expect("sync", "shop", "--config", own)
    let result = try await Self.run(home, "sync")
    #expect(result.status == 66)
    #expect(result.errors.contains("There is no feed “shop”"))
  }
}
