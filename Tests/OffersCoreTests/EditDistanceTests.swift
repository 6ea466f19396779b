import OffersCore
import OffersTestSupport
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
      let found = EditDistance(from: String(left), limit: limit).distances(to: String(right))
      let whole = exactEditDistance(left, right)
      let beginning = (0...right.count).map { exactEditDistance(left, Array(right.prefix($0))) }
        .min()
      #expect(found.whole == (whole > limit ? nil : whole), "\(left) \(right)")
      #expect(found.beginning == beginning.flatMap { $0 > limit ? nil : $0 }, "\(left) \(right)")
    }
  }
}
