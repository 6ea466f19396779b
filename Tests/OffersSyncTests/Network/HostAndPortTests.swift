import Testing

@testable import OffersSync

@Suite("Hosts with ports")
struct HostAndPortTests {
  @Test(
    "a host is parsed with its port",
    arguments: [
      ("example.com", "example.com", nil), ("Example.COM.", "example.com", nil),
      ("example.com:8080", "example.com", 8080), ("example.com.:1", "example.com", 1),
      ("example.com:", "example.com", nil), ("a_b-c.d", "a_b-c.d", nil),
      ("10.0.0.1:65535", "10.0.0.1", 65_535), ("[::1]", "::1", nil), ("[::1]:8080", "::1", 8080),
      ("[::1]:", "::1", nil), ("::1", "::1", nil), ("2001:DB8::1", "2001:db8::1", nil),
    ] as [(String, String, Int?)])
  func readsHosts(text: String, host: String, port: Int?) throws {
    let place = try #require(HostAndPort(text))
    #expect(place.host == host)
    #expect(place.port == port)
  }

  @Test(
    "an invalid host is refused",
    arguments: [
      "", ".", ":", ":80", "a b", "a/b", "a@b", "a:b", "a:0", "a:65536", "a:-1", "a:80:90", "[]",
      "[::1", "[::1]80", "[::1]x:80", "[a]", "[127.0.0.1]", "::1]", "fe80::1%lo", "exämple.com",
      "*",
      "a\0", "a\n",
    ])
  func refusesOthers(text: String) {
    #expect(HostAndPort(text) == nil)
  }
}
