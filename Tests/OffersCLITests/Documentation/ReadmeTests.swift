import Foundation
import Offers
import OffersTestSupport
import TestStores
import Testing

@Suite("The README", .aboutFile)
struct ReadmeTests {
  private let page: DocumentPage

  init() throws { page = try DocumentPage.readme() }

  @Test("it has at most 200 lines")
  func length() {
    #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 200)
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
    #expect(example.split(separator: "\n").count <= 35)
  }

  @Test("its example of the library works")
  func exampleWorks() async throws {
    let home = try Home()
    let screen = try await OffersScreen(OffersDatabase.open(at: URL(filePath: home.database)))
    try await screen.load()
    #expect(await screen.offers.isEmpty)
    let run = try await screen.refresh(
      from: .file(try home.feed([FeedItem("1", "Tea")])))
    #expect(run.counts.new == 1)
    try await screen.loadMore()
    let offer = try #require(await screen.offers.first)
    try await screen.loadMore()
    #expect(await screen.offers.count == 1)
    let watch = Task { try await screen.follow() }
    try await screen.toggleStar(of: offer)
    while await screen.offers.first?.isFavorite != true { await Task.yield() }
    watch.cancel()
    try? await watch.value
    try await screen.find("TEA")
    #expect(await screen.offers.map(\.name) == ["Tea"])
    #expect(try await home.call("list", "--favorites").output.contains("Tea"))
  }
}
