import Foundation
import Offers
import OffersTestSupport
import TestStores
import Testing

@Suite("The README", .aboutFile)
struct ReadmeTests {
  private let page: DocumentPage

  init() throws { page = try DocumentPage.readme() }

  @Test("it has at most 150 lines")
  func length() {
    #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 150)
  }

  @Test("it names a test for each promise")
  func promises() {
    let rows = page.section("## What it promises").split(separator: "\n").dropFirst(2)
    #expect(rows.count >= 9)
    for row in rows where row.hasPrefix("|") { #expect(row.contains("Tests.swift)"), "\(row)") }
  }

  @Test("its example of the library is the compiled one")
  func example() throws {
    let source = try PackageFolder.text(
      of: "Tests/OffersCLITests/Documentation/ReadmeExample.swift")
    let begin = try #require(source.range(of: "// README begins\n"))
    let end = try #require(source.range(of: "\n// README ends"))
    let example = String(source[begin.upperBound..<end.lowerBound])
    #expect(page.blocks("swift").contains(example))
    #expect(example.split(separator: "\n").count <= 15)
  }

  @Test("its example of the library works")
  func exampleWorks() async throws {
    let home = try Home()
    let offers = try await starTea(
      in: URL(filePath: home.database),
      from: .file(try home.feed([FeedItem("1", "Jam"), FeedItem("2", "Tea")])))
    #expect(offers.map(\.name) == ["Jam", "Tea"])
    #expect(offers.map(\.isFavorite) == [false, true])
    #expect(try await home.call("list", "--favorites").output.contains("Tea"))
  }
}
