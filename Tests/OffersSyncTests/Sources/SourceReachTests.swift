import Testing

@testable import OffersSync

@Suite("Where a source leads by its text alone")
struct SourceReachTests {
  @Test(
    "a source is judged without a look-up",
    arguments: [
      ("https://a.example/", .open), ("http://8.8.8.8/x", .open), ("sample", .open),
      ("https://a.example/{page}?q={{x}}", .open), ("http://[2606:4700::1111]/", .open),
      ("/home/ana/feed.json", .file), ("feed.json", .file), ("{page}.json", .file),
      ("http://127.0.0.1:8000/", .privateNetwork), ("http://2130706433/", .privateNetwork),
      ("http://0x7f.1/", .privateNetwork), ("http://127.0.0.{page}/", .privateNetwork),
      ("http://127.0.0.1./", .privateNetwork), ("http://192.168.1.5/a", .privateNetwork),
      ("http://[::1]/", .privateNetwork), ("http://[fd00::1]:80/", .privateNetwork),
      ("http://[::ffff:10.0.0.1]/", .privateNetwork), ("http://LOCALHOST/", .privateNetwork),
      ("http://a.localhost./", .privateNetwork), ("http://nas/", .privateNetwork),
      ("http://nas.local/", .privateNetwork), ("http://x.internal/", .privateNetwork),
      ("http://x.home.arpa/", .privateNetwork), ("http://home.example/", .open),
      ("https://a.example/?k={env:KEY}", .variable), ("/home/{env:USER}/x.json", .variable),
      ("-", .none), ("", .none), ("ftp://a.example/", .none), ("file:///etc/passwd", .none),
      ("https://me:secret@a.example/", .none), ("http:///x", .none),
      ("http://%31%32%37.0.0.1/", .none),
    ] as [(String, SourceReach)])
  func judges(text: String, expected: SourceReach) {
    #expect(SourceReach(of: text) == expected)
  }
}
