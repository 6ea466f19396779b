import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("Pairing codes")
struct PairingCodeTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  @Test("a code has 40 bits in two groups, without letters that look like digits, and is random")
  func makesCodes() throws {
    let codes = try (0..<200).map { _ in try PairingCode() }
    #expect(Set(codes).count == 200)
    for code in codes {
      let groups = code.text.split(separator: "-")
      #expect(groups.map(\.count) == [4, 4])
      #expect(groups.joined() == code.characters)
      #expect(code.characters.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains($0) })
      #expect(PairingCode(code.text) == code)
    }
    // 32 characters in 1600 places: a missing one would be a fault of the generator.
    #expect(Set(codes.map(\.characters).joined()).count == 32)
  }

  @Test(
    "a code is read as people type it",
    arguments: ["K7Q0-1XPD", "k7q01xpd", " k7q0 1xpd ", "K7QO-IXPD", "k7qo-lxpd", "K-7-Q-0-1XPD"])
  func reads(typed: String) {
    #expect(PairingCode(typed)?.characters == "K7Q01XPD")
  }

  @Test(
    "any other text is no code",
    arguments: [
      "", "-", "K7Q01XP", "K7Q01XPDD", "K7Q0_1XPD", "K7Q01XPU", "Ｋ7Q01XPD", "K7Q01XPD\n",
      "K7Q0\u{301}1XPD", String(repeating: "-", count: 100) + "K7Q01XPD",
    ])
  func refuses(typed: String) {
    #expect(PairingCode(typed) == nil)
  }

  private static func maker(_ id: User.ID) -> Visitor {
    Visitor(User(id: id, name: "user \(id)", role: .admin, createdAt: start), .terminal)
  }

  @Test("a code is accepted once, until ten minutes after it was made, by any clock")
  func expires() throws {
    let codes = PairingCodes()
    func find(_ code: PairingCode, _ seconds: Double) throws -> String {
      switch try codes.redeem(code.text, now: Self.start + seconds) {
      case .valid: "valid"
      case .used: "used"
      case .expired: "expired"
      case .unknown: "unknown"
      }
    }
    let first = try codes.make(for: 1, by: Self.maker(1), now: Self.start)
    let second = try codes.make(for: 1, by: Self.maker(1), now: Self.start)
    #expect(try find(first, 599) == "valid")
    #expect(try find(first, 599) == "used")
    #expect(try find(first, 601) == "used")
    #expect(try find(second, 600) == "expired")
    #expect(try find(second, -600) == "expired")
    #expect(try find(second, -599) == "valid")
    #expect(try find(PairingCode(), 0) == "unknown")
  }

  @Test("eight codes of a user are remembered; a further one takes the place of their oldest")
  func remembersFew() throws {
    let codes = PairingCodes()
    let made = try (0..<9).map { _ in try codes.make(for: 1, by: Self.maker(1), now: Self.start) }
    let valid = try made.map { code in
      if case .valid = try codes.redeem(code.text, now: Self.start) { true } else { false }
    }
    #expect(valid == [false] + Array(repeating: true, count: 8))
  }
}
