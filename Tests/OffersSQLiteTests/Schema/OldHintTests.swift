import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Hints of runs that an older version stored")
struct OldHintTests {
  /// What the run of an upgraded database has of a hint; the run's source is `/it's.json`.
  private static func upgraded(
    _ hint: String, version: Int
  ) async throws -> (hint: String?, remedy: Remedy?) {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: version, offerCount: 1)
    let text = hint.replacing("'", with: "''")
    try Store.execute(
      path,
      """
      UPDATE sync_run SET outcome = 'failed', source = '/it''s.json', error_code = 'sourceFailed',
        error_message = 'No.', error_hint = '\(text)'
      """)
    let database = try await OffersDatabase.open(path: path, access: .readOnly)
    let run = try await database.fetchFeeds().first { $0.name == "ibotta" }?.lastRun
    #expect(run?.error?.message == "No.")
    return (run?.error?.hint, run?.error?.remedy)
  }

  private static let start = "Nothing was changed. "

  @Test(
    "have the words and the remedy that their command stands for",
    arguments: [
      (
        "If that is right: offers sync ibotta --accept-removals",
        "If that is right, accept the removals.", Remedy.acceptRemovals(feed: "ibotta", source: nil)
      ),
      (
        #"If that is right: offers sync ibotta --from '/it'\''s.json' --accept-removals"#,
        "If that is right, accept the removals.",
        Remedy.acceptRemovals(feed: "ibotta", source: "/it's.json")
      ),
      (
        start
          + "It is gone for good and is no longer fetched. To start it again: offers sync ibotta "
          + "--force, or --from another address.",
        start + "It is gone for good and is no longer fetched. To start it again, force a sync, or "
          + "name another source.", Remedy.force(feed: "ibotta")
      ),
      (
        start + "Name one: offers sync ibotta --from URL-OR-FILE", start + "Name one.",
        Remedy.nameSource(feed: "ibotta", source: nil)
      ),
      (
        start + "Why. If it is right, name it on this machine: offers sync ibotta --from "
          + #"'/it'\''s.json'"#, start + "Why. If it is right, name it on this machine.",
        Remedy.nameSource(feed: "ibotta", source: "/it's.json")
      ),
      (
        start + "If that is right, add --allow-private-network.",
        start + "If that is right, allow private networks.", Remedy.allowPrivateNetwork
      ),
      (
        start + "Write it as source: into the definition of ibotta, or add a feed: "
          + "offers feeds add NAME SOURCE",
        start + "Write it as source: into the definition of ibotta, or add a feed.", Remedy.addFeed
      ),
    ])
  func remedies(old: String, words: String, remedy: Remedy) async throws {
    for version in [14, 15] {
      let new = try await Self.upgraded(old, version: version)
      #expect(new.hint == words)
      #expect(new.remedy == remedy)
    }
  }

  @Test(
    "lose a command that stands for no remedy",
    arguments: [
      (
        "The source https://a.example/{env:KEY} uses it. Set it: export KEY=…",
        "The source https://a.example/{env:KEY} uses it. Set it."
      ),
      (
        "Set it to an address such as http://proxy.example:3128, or unset it: unset all_proxy",
        "Set it to an address such as http://proxy.example:3128, or unset it."
      ),
      (
        start + "If that is right, sync --from that address.",
        start + "If that is right, sync from that address."
      ),
      ("Check the database: offers doctor", nil), ("Add --map id=….", nil),
      ("Restore a backup. Without one, try: sqlite3 FILE .recover", nil),
      (
        start + "Check that the source is an offers feed.",
        start + "Check that the source is an offers feed."
      ),
    ] as [(String, String?)])
  func commands(old: String, words: String?) async throws {
    let new = try await Self.upgraded(old, version: 15)
    #expect(new.hint == words)
    #expect(new.remedy == nil)
  }
}
