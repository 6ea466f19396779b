import OffersCore
import Testing

@Suite("The nearest word")
struct NearestWordTests {
  @Test("a list is cut off after twelve words, and says if there is none")
  func lists() {
    #expect(NearestWord.list(["teas", "jams"], title: "Feeds") == "Feeds: teas, jams.")
    let many = NearestWord.list((1...14).map { "f\($0)" }, title: "Feeds")
    #expect(many.hasSuffix("f12 and 2 more."))
    #expect(NearestWord.hint(for: "tees", among: [], title: "Feeds") == "Feeds: none.")
  }
}
