import OffersCore
import OffersFeeds
import Testing

@Suite("The definitions that ship with the program")
struct ShippedDefinitionTests {
  @Test(
    "each is a file of its own with a comment, one feed of that name, and a round trip",
    arguments: ShippedDefinition.feeds + ShippedDefinition.kinds)
  func parses(name: String) throws {
    let text = try ShippedDefinition.text(name)
    let definitions = try DefinitionFile.parse(text, name: "\(name).yaml")
    #expect(text.hasPrefix("# "))
    #expect(definitions.map(\.name) == [name])
    let written = DefinitionText.yaml(for: definitions[0])
    #expect(try DefinitionFile.parse(written, name: "written") == definitions)
  }
}
