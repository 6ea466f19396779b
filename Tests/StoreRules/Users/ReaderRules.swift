import OffersCore
import OffersTestSupport
import Testing

@Suite("Read marks")
struct ReaderRules {
  @Test("a mark moves forward and never back", arguments: StoreKind.allCases)
  func advances(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(try await store.findMark(of: "mail") == nil)
    for (set, expected) in [((5, 100), (5, 100)), ((3, 200), (5, 200)), ((7, 50), (7, 200))] {
      let mark = ReaderMark(changeID: Int64(set.0), readAt: .at(set.1))
      try await store.setMark(mark, of: "mail")
      #expect(
        try await store.findMark(of: "mail")
          == ReaderMark(changeID: Int64(expected.0), readAt: .at(expected.1)))
    }
    #expect(try await store.findMark(of: "other") == nil)
  }

  @Test("the names of readers are told apart byte by byte", arguments: StoreKind.allCases)
  func names(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let names = ["mail", "Mail", "mail ", "caf\u{E9}", "cafe\u{301}", "CAF\u{C9}"]
    for (place, name) in names.enumerated() {
      #expect(try await store.findMark(of: name) == nil)
      try await store.setMark(
        ReaderMark(changeID: Int64(place), readAt: .at(place)), of: name)
    }
    for (place, name) in names.enumerated() {
      #expect(try await store.findMark(of: name)?.changeID == Int64(place))
    }
  }
}
