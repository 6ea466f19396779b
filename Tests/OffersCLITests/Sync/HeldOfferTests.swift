import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("Offers that are held back or kept, on the command line")
struct HeldOfferTests {
  @Test("Too many removals are held back until --accept-removals")
  func heldBack() async throws {
    let items = (1...20).map { FeedItem("\($0)", "Offer \($0)") }
    let home = try await Home(synced: items)
    let path = try home.feed([items[0]])
    let held = try await home.expect(
      "sync", "--from", path, says: ["19 of 20 offers are missing from the feed since "])
    #expect(
      home.stable(held.output)
        == "ibotta: 0 new, 0 changed, 0 gone, 0 back, 1 unchanged, 0 skipped in TIME\n")
    #expect(
      held.errors.hasSuffix(
        """
         if it stays so. To remove them now: offers sync ibotta --accept-removals. To keep them: offers \
        sync ibotta --keep-missing

        """))
    let note = "ibotta: 19 of 20 offers are missing from the feed since"
    #expect(try await home.call("list").errors.contains(note))
    #expect(try await home.call("status").output.contains(note))
    let accepted = try await home.expect("sync", "--accept-removals")
    #expect(
      home.stable(accepted.output)
        == "ibotta: 0 new, 0 changed, 19 gone, 0 back, 1 unchanged, 0 skipped in TIME\n")
  }

  @Test("--keep-missing says how many offers are kept, and how to remove them")
  func keeps() async throws {
    let items = (1...20).map { FeedItem("\($0)", "Offer \($0)") }
    let home = try await Home(synced: items)
    _ = try home.feed([items[0]])
    _ = try await home.call("sync")
    let kept = try await home.expect("sync", "--keep-missing")
    #expect(
      kept.errors
        == "  19 offers that the feed lacks are kept until it has them again. To remove them: "
        + "offers sync ibotta --accept-removals\n")
    #expect(try await home.call("sync").errors == "")
    // Where people look for the offers, the kept ones are told, too.
    let note = "ibotta: 19 offers that the feed lacks are kept until it has them again"
    #expect(try await home.call("list").errors.contains(note + "\n"))
    #expect(
      try await home.call("status").output.contains(
        note + ". To remove them: offers sync ibotta --accept-removals\n"))
    #expect(try await home.call("status", "--json").output.contains(#""held_back":0,"kept":19}"#))
    _ = try await home.call("sync", "--accept-removals")
    #expect(try await !home.call("status").output.contains("kept until"))
  }

  @Test("What is held back is news once, until a later document holds back something else")
  func heldNews() async throws {
    let items = (1...20).map { FeedItem("\($0)", "Offer \($0)") }
    let home = try await Home(synced: items)
    _ = try await home.call("sync", "--news")
    let path = try home.feed([items[0]])
    let told = try await home.call("sync", "--news", "--from", path)
    #expect(told.output.hasPrefix("ibotta: 19 of 20 offers are missing from the feed since "))
    #expect(told.output.contains(": held back; they go at "))
    #expect(
      told.output.hasSuffix(" if it stays so\n") && told.output.split(separator: "\n").count == 1)
    #expect(try await home.call("sync", "--news").output == "")
    // Kept offers are held back no more.
    #expect(try await home.call("sync", "--keep-missing", "--news").output == "")
    #expect(try await !home.call("list").errors.contains("missing"))
    try await home.expect("sync", "--news")
  }
}
