import OffersCore
import OffersFeeds
import Testing

@Suite("Shipped definition files")
struct ShippedDefinitionTests {
  @Test(
    "each file has a comment and one feed with its name, and survives writing and parsing",
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
