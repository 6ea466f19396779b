import Foundation
import Testing

@Suite("A file of definitions that does not exist")
struct AbsentDefinitionsTests {
  private static func run(_ home: Home, _ words: String...) async throws -> OffersProgram.Result {
    let environment = home.environment.merging(
      ["OFFERS_CONFIG": home.folder.file("absent.yaml")]
    ) { $1 }
    return try await OffersProgram.call(words, environment: environment)
  }

  @Test("commands that need no own definition work when OFFERS_CONFIG names an absent file")
  func works() async throws {
    let home = try Home()
    for words in [
      ["sync"], ["list"], ["search", "tea"], ["show", "900117"], ["changes"], ["status"], ["feeds"],
      ["feeds", "show", "albums"], ["feeds", "set", "ibotta", "--every", "6h"],
    ] {
      let environment = home.environment.merging(
        ["OFFERS_CONFIG": home.folder.file("absent.yaml")]
      ) { $1 }
      let result = try await OffersProgram.call(words, environment: environment)
      #expect(result.status == 0, "\(words): \(result.errors)")
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
      let environment = home.environment.merging(
        ["OFFERS_CONFIG": home.folder.file("absent.yaml")]
      ) { $1 }
      let result = try await OffersProgram.call(words, environment: environment)
      #expect(result.status == 66, "\(words)")
      #expect(result.errors.contains("absent.yaml"), "\(words)")
      #expect(result.errors.contains("offers feeds add NAME SOURCE"), "\(words)")
    }
    let absent = home.folder.file("absent.yaml")
    let option = try await home.call("sync", "tea", "--config", absent)
    #expect(option.status == 66)
    #expect(option.errors.contains("offers feeds add NAME SOURCE"))
    // A shipped feed needs no definition.
    #expect(
      try await home.call("sync", "facts", "--from", "sample", "--config", absent).status == 0)
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
    #expect(try await home.call("sync", "shop", "--config", own).status == 0)
    let result = try await Self.run(home, "sync")
    #expect(result.status == 66)
    #expect(result.errors.contains("There is no feed “shop”"))
  }
}
