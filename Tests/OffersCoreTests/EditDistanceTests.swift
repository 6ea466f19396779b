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

  /// The edit distance by its definition, without a limit.
  private static func exactDistance(_ left: [Character], _ right: [Character]) -> Int {
    var table = Array(
      repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count {
      for column in 0...right.count {
        if row == 0 || column == 0 {
          table[row][column] = row + column
          continue
        }
        let same = left[row - 1] == right[column - 1] ? 0 : 1
        table[row][column] = min(
          table[row - 1][column] + 1, table[row][column - 1] + 1,
          table[row - 1][column - 1] + same)
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
        }
      }
    }
    return table[left.count][right.count]
  }

  @Test("matches its definition, up to the limit")
  func definition() {
    var random = SeededGenerator(seed: 7)
    func word() -> [Character] {
      (0..<Int.random(in: 1...7, using: &random)).map { _ in
        "abcé".randomElement(using: &random) ?? "a"
      }
    }
    for _ in 0..<3000 {
      let (left, right) = (word(), word())
      let limit = Int.random(in: 1...3, using: &random)
      let found = EditDistance(from: String(left), limit: limit).distances(to: String(right))
      let whole = Self.exactDistance(left, right)
      let beginning = (0...right.count).map { Self.exactDistance(left, Array(right.prefix($0))) }
        .min()
      #expect(found.whole == (whole > limit ? nil : whole), "\(left) \(right)")
      #expect(found.beginning == beginning.flatMap { $0 > limit ? nil : $0 }, "\(left) \(right)")
    }
  }
}
