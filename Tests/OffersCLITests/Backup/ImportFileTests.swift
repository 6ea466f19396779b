import ChildProcesses
import Foundation
import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Imports from a pipe")
struct ImportFileTests {
  @Test("endless white space is refused before it fills the disk")
  func endlessSpaces() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let text = try await home.call("export").output
    for (start, place) in [("", "0"), (String(text.dropLast(3)), "\(text.utf8.count - 4)")] {
      try home.folder.write(start, to: "start.json")
      let result = try home.shell(
        "(cat start.json; yes '' | head -c 20000000 | tr '\\n' ' ') 2>&- | offers import -")
      #expect(result.status == 1)
      #expect(
        result.errors == """
          offers: Standard input has nothing but spaces, from byte \(place) on.
                  Nothing was changed. Correct it there, or export it again.

          """)
    }
    // An export may contain white space anywhere between its tokens.
    let spaced = text.replacing(",", with: "," + String(repeating: " \n", count: 500))
    #expect(try home.offers("import", "-", input: spaced).status == 0)
  }

  @Test("an import from a pipe has a size limit, an import from a file has none")
  func bound() async throws {
    let home = try await Home(synced: (0..<3000).map { FeedItem("\($0)", "Tea") })
    let saved = home.folder.file("saved.json")
    try await home.call("export", "-o", saved)
    func read(_ path: String, limitBytes: Int) throws -> Int {
      var count = 0
      try ImportFile(path, folder: home.folder.path, limitBytes: limitBytes) { _, _ in }
        .forEachRecord { _ in count += 1 }
      return count
    }
    let all = try read(saved, limitBytes: 1)
    #expect(all > 6000)
    for (limit, isRefused) in [(300_000, true), (1 << 30, false)] {
      let pipe = Pipe()
      let process = try ChildProcess(["/bin/cat", saved], to: pipe.fileHandleForWriting)
      try pipe.fileHandleForWriting.close()
      let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
      if isRefused {
        let error = #expect(throws: OffersError.self) { try read(path, limitBytes: limit) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.hint?.text.contains("save it to a file") == true)
      } else {
        #expect(try read(path, limitBytes: limit) == all)
      }
      try pipe.fileHandleForReading.close()
      process.wait()
    }
  }

  @Test("an import of many feeds needs no more open files than an import of one")
  func manyFeeds() async throws {
    let home = try Home()
    let time = "2026-11-21T09:07:22Z"
    let feeds = (0..<400).map {
      "{\"name\":\"feed-\($0)\",\"source\":\"/x\",\"subscribed_at\":\"\(time)\"}"
    }
    try home.folder.write(
      "{\"format\":\"offers-export\",\"version\":1,\"feeds\":[\(feeds.joined(separator: ","))],"
        + "\"runs\":[],\"offers\":[],\"changes\":[],\"favorites\":[]}", to: "feeds.json")
    let result = try home.shell("ulimit -n 100; offers import feeds.json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try await home.call("feeds").output.contains("feed-399"))
  }
}
