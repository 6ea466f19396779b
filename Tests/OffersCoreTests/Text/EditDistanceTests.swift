import OffersCore
import OffersTestSupport
import Testing

@Suite("The edit distance")
struct EditDistanceTests {
  @Test("counts insertions, deletions, substitutions and transpositions")
  func distances() {
    let distance = EditDistance(from: "coffee", limit: 2)
    #expect(distance.distance(to: "cofee") == 1)
    #expect(distance.distance(to: "cofefe") == 1)
    #expect(distance.distance(to: "coffee table") == nil)
    #expect(distance.distance(to: "tea") == nil)
  }

  @Test(
    "is not computed for a word that is longer than the bound, whose work would grow with its square"
  )
  func longWord() {
    let longest = String(repeating: "q", count: EditDistance.longestWord)
    #expect(EditDistance(from: longest, limit: 1).distance(to: longest + "a") == 1)
    #expect(EditDistance(from: longest + "q", limit: 1).distance(to: longest) == nil)
  }

  @Test("matches its definition, up to the limit")
  func definition() {
    var random = SeededGenerator(number: 7)
    func word() -> [Character] {
      (0..<Int.random(in: 1...7, using: &random)).map { _ in
        "abcé".randomElement(using: &random) ?? "a"
      }
    }
    for _ in 0..<TestSize.scaled(3000) {
      let (left, right) = (word(), word())
      let limit = Int.random(in: 1...3, using: &random)
      let found = EditDistance(from: String(left), limit: limit).distance(to: String(right))
      let whole = exactEditDistance(left, right)
      #expect(found == (whole > limit ? nil : whole), "\(left) \(right)")
    }
  }
}
