import Foundation
import OffersCore
import OffersFeeds
import Testing

@Suite("Filters of offers")
struct OfferFilterTests {
  private static func selection(_ filter: OfferFilter, _ text: String) throws -> Selection {
    var selection = Selection()
    try filter.set(text, in: &selection, at: Date(timeIntervalSince1970: 1000), FilterTextParser())
    return selection
  }

  @Test(
    "a filter is set by its example and by its box, and sets no other",
    arguments: OfferFilter.allCases)
  func sets(filter: OfferFilter) throws {
    var texts = [filter.words.example ?? "true"]
    if case .box(let text) = filter.question?.input { texts.append(text) }
    for text in texts {
      let selection = try Self.selection(filter, text)
      #expect(OfferFilter.allCases.filter(selection.has) == [filter], "\(text)")
      #expect(selection.isNarrowed(besides: []) && !selection.isNarrowed(besides: [filter]))
    }
  }

  @Test("a value of another kind is refused, with a hint")
  func refuses() {
    for filter in OfferFilter.allCases {
      switch filter.value {
      case .text, .label: continue
      case .flag, .bound, .since, .within, .circle:
        let error = #expect(throws: OffersError.self) { try Self.selection(filter, "soon") }
        #expect(error?.code == .invalidRequest && error?.hint != nil, "\(filter)")
      }
    }
  }

  @Test("no name is given twice")
  func names() {
    for names in [
      OfferFilter.allCases.map(\.words.option), OfferFilter.allCases.map(\.words.parameter),
      OfferFilter.allCases.compactMap(\.question?.field),
    ] {
      #expect(Set(names).count == names.count)
    }
  }
}
