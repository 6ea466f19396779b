import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@Suite("The import of a large file into a new database", .serialized)
struct FirstImportTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Writes a feed of several megabytes.
  private func feed(_ count: Int = 3000) throws -> String {
    try home.feed(
      (1...count).map {
        FeedItem("\($0)", "Offer \($0)", terms: String(repeating: "t", count: 2000))
      })
  }

  @Test("A large first import is reported, stored and starred like any other")
  func isAsAnyOther() throws {
    let path = try feed()
    let first = try home.offers("sync", "--from", path)
    #expect(first.errors == "")
    #expect(
      home.stable(first.output)
        == "ibotta: 3,000 new, 0 changed, 0 gone, 0 back, 0 unchanged, 0 skipped in TIME\n")
    #expect(first.status == 0)
    #expect(try home.offers("favorite", "2999").status == 0)
    let again = try home.document("sync")
    let runs = try #require(again["runs"] as? [[String: Any]])
    #expect(runs.map { $0["outcome"] as? String } == ["unchanged"])
    #expect(runs.map { $0["unchanged"] as? Int } == [3000])
    #expect(try home.offers("search", "2998").output.contains("ibotta:2998"))
    #expect(try home.offers("doctor").status == 0)
  }

  private func size(of path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : 0
  }

  /// Returns whether all threads of a process are stopped.
  /// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  private func isStopped(_ process: ChildProcess) throws -> Bool {
    let line = try String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8)
    return line.split(separator: ")").last?.hasPrefix(" T") == true
  }

  /// Starts a sync and stops it in the middle of its transaction, while it holds its locks.
  private func startStopped(_ path: String) throws -> ChildProcess {
    func isWriting() -> Bool { size(of: home.database + "-wal") >= 1 << 20 }
    while true {
      let process = try OffersProgram.start(
        ["sync", "--quiet", "--from", path], environment: home.environment)
      while process.isRunning, !isWriting() { sched_yield() }
      process.send(SIGSTOP)
      while process.isRunning, try !isStopped(process) { sched_yield() }
      // A commit truncates the write-ahead log, so a large log means an open transaction.
      if process.isRunning, isWriting() { return process }
      process.send(SIGCONT)
      try #require(process.wait() == 0)
      // The sync ended before it could be stopped. A first import needs a missing database.
      for ending in ["", "-wal", "-shm"] {
        try FileManager.default.removeItem(atPath: home.database + ending)
      }
    }
  }

  @Test(
    "A reader is answered during the import, without waiting for its end",
    .aboutFile, .timeLimit(.minutes(5)))
  func keepsNoReaderWaiting() async throws {
    let process = try startStopped(try feed(16_000))
    let list = try home.offers("list", "--json")
    #expect(list.errors == "")
    #expect(list.output.hasPrefix("{\"offers\":[],"))
    #expect(list.status == 0)
    #expect(try home.offers("show", "1").status == 66)
    process.send(SIGCONT)
    #expect(try home.offers("sync", "--quiet", "albums", "--from", "sample").status == 0)
    #expect(process.wait() == 0)
    let database = try await home.store.open(.readOnly)
    #expect(try await database.countOffers(OfferQuery(feed: "ibotta")) == 16_000)
    #expect(try await database.fetchFeeds().map(\.name) == ["albums", "ibotta"])
    #expect(try home.integrity() == "ok\n")
  }
}
