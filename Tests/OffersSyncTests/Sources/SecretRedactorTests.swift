import OffersCore
import Testing

@testable import OffersSync

@Suite("Secrets")
struct SecretRedactorTests {
  private static let secrets = {
    var secrets = SecretRedactor()
    secrets.add("S3cr&t/ Ke+y", of: "K")
    return secrets
  }()

  @Test(
    "a value is hidden in every spelling of it",
    arguments: [
      "S3cr&t/ Ke+y", "S3cr%26t%2F%20Ke%2By", "S3cr%26t%2f%20Ke%2by", "S3cr&t/%20Ke+y",
    ])
  func hidesSpellings(spelling: String) {
    #expect(Self.secrets.hidden(in: "at /x?key=\(spelling) it is") == "at /x?key={env:K} it is")
  }

  @Test(
    "a value is hidden whatever mark stands behind it",
    arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
  func hidesMarked(mark: String) {
    #expect(
      Self.secrets.hidden(in: "S3cr&t/ Ke+y\(mark)!").utf8.elementsEqual("{env:K}\(mark)!".utf8))
  }

  @Test("a value with accents is hidden in both of Unicode's ways to write them")
  func hidesNormalized() {
    var secrets = SecretRedactor()
    secrets.add("caf\u{E9}", of: "K")
    #expect(secrets.hidden(in: "caf\u{E9} cafe\u{301}") == "{env:K} {env:K}")
  }

  @Test(
    "relative links are resolved against the address without the value",
    arguments: [
      ("http://a.example/f.json?key=S3cr%26t%2F%20Ke%2By&p=1", "http://a.example/f.json"),
      ("http://a.example/S3cr%26t%2F%20Ke%2By/f.json", nil),
      ("http://a.example/f.json?p=1", "http://a.example/f.json?p=1"),
    ] as [(String, String?)])
  func cutsAddresses(address: String, base: String?) {
    #expect(Self.secrets.base(of: address) == base)
  }
}
