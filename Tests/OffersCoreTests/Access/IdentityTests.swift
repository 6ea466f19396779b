import OffersCore
import Testing

@Suite("Identities at OpenID providers")
struct IdentityTests {
  @Test(
    "an empty, a long or a NUL text is no identity",
    arguments: [
      ("", "a"), ("a", ""), ("a", String(repeating: "a", count: 256)), ("a", "b\0"), ("a\0", "b"),
      (String(repeating: "a", count: 1025), "b"),
    ])
  func invalid(issuer: String, subject: String) {
    let error = #expect(throws: OffersError.self) {
      try Identity(issuer: issuer, subject: subject)
    }
    #expect(error?.code == .invalidRequest)
  }
}
