import OffersCore
import Testing

@Suite("The edit distance")
struct EditDistanceTests {
  @Test("counts insertions, deletions, substitutions and transpositions")
  func distances() {
    let distance = EditDistance(from: "coffee", limit: 2)
    #expect(distance.distances(to: "cofee").whole == 1)
    #expect(distance.distances(to: "cofefe").whole == 1)
    #expect(distance.distances(to: "coffee table").beginning == 0)
    #expect(distance.distances(to: "tea").whole == nil)
  }

  @Test(
    "is not computed for a word that is longer than the bound, whose work would grow with its square"
  )
  func longWord() {
    let longest = String(repeating: "q", count: EditDistance.longestWord)
    #expect(EditDistance(from: longest, limit: 1).distances(to: longest + "a").whole == 1)
    let (whole, beginning) = EditDistance(from: longest + "q", limit: 1).distances(to: longest)
    #expect(whole == nil && beginning == nil)
  }
}
