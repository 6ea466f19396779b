import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Corrupted definition files")
struct MutatedDefinitionTests {
  @Test(
    "a corrupted file is refused with its line, or survives writing and parsing",
    arguments: ShippedDefinition.feeds + ShippedDefinition.kinds)
  func survivesMutations(name: String) throws {
    let original = Array(try ShippedDefinition.text(name).unicodeScalars)
    let pieces = Array("{}[]:,*&#'\"-@$?.| \n\t\\=0aé\u{85}\u{FEFF}".unicodeScalars)
    var generator = SeededGenerator(number: 20_250_118)
    for _ in 0..<TestSize.scaled(300) {
      var scalars = original
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let place = Int.random(in: 0..<scalars.count, using: &generator)
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        switch Int.random(in: 0...3, using: &generator) {
        case 0: scalars[place] = piece
        case 1: scalars.insert(piece, at: place)
        case 2: scalars.remove(at: place)
        default: scalars.removeSubrange(place..<min(scalars.count, place + 40))
        }
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      do {
        for definition in try DefinitionFile.parse(text, name: "f") {
          let written = DefinitionText.yaml(for: definition)
          #expect(try DefinitionFile.parse(written, name: "w") == [definition], "\(text)")
        }
      } catch let error as OffersError {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        let line = error.message.split(separator: ":").dropFirst().first.flatMap { Int($0) }
        #expect(
          error.message.hasPrefix("f:") && (1...lines).contains(line ?? 0),
          "\(error) \(text.debugDescription)")
      }
    }
  }
}
