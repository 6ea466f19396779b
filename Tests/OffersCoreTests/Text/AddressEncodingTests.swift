import Foundation
import OffersCore
import Testing

@Suite("Encoding of printed addresses")
struct AddressEncodingTests {
  @Test(
    "characters that a URL may not contain are encoded once, and escapes stay",
    arguments: [
      ("https://x.example/a?b=c&d=%20#e", "https://x.example/a?b=c&d=%20#e"),
      ("https://x.example/Café expreso.png", "https://x.example/Caf%C3%A9%20expreso.png"),
      ("https://x.example/Caf%C3%A9 expreso.png", "https://x.example/Caf%C3%A9%20expreso.png"),
      ("https://x.example/Caf%c3%a9%20é", "https://x.example/Caf%c3%a9%20%C3%A9"),
      ("https://x.example/50%25%20off.png", "https://x.example/50%25%20off.png"),
      ("https://x.example/50% off 100%", "https://x.example/50%25%20off%20100%25"),
      ("https://x.example/a[1]|{b}\"<>^`", "https://x.example/a%5B1%5D%7C%7Bb%7D%22%3C%3E%5E%60"),
      ("https://x.example/?q=ü#a#b", "https://x.example/?q=%C3%BC#a%23b"),
      ("ä/b c?d=//e", "%C3%A4/b%20c?d=//e"), ("//x.example/ü", "//x.example/%C3%BC"),
      ("https://[::1]:80/ü", "https://[::1]:80/%C3%BC"), ("", ""), ("%", "%25"), ("%4", "%254"),
    ])
  func encodes(address: String, expected: String) {
    let encoded = AddressEncoding.encoded(address)
    #expect(encoded == expected)
    #expect(AddressEncoding.encoded(encoded) == encoded)
  }

  @Test("a URL keeps the escapes of its address, also below a base and with an international host")
  func makesURLs() throws {
    let base = try #require(URL(string: "https://x.example/a/"))
    #expect(
      URL(printed: "Caf%C3%A9 1.png", relativeTo: base)?.absoluteString
        == "https://x.example/a/Caf%C3%A9%201.png")
    #expect(
      URL(printed: "https://bücher.example/Caf%C3%A9 1.png")?.absoluteString
        == "https://xn--bcher-kva.example/Caf%C3%A9%201.png")
    #expect(URL(printed: "https://x y.example/") == nil)
  }
}
