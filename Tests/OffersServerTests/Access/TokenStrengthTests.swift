import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The strength of tokens")
struct TokenStrengthTests {
  @Test(
    "texts that programs guess first are refused",
    arguments: [
      "aaaaaaaaaaaaaaaa", "passwordpassword", "Password12345678", "1234567890123456",
      "0123456789abcdef", "abcdefghijklmnop", "qwertyuiopasdfgh", "correct-horse-battery",
      "correct-horse-battery-staple", "secretsecretsecretsecret", "letmeinletmeinletmein",
      "abcabcabcabcabcabcabc", "2026-11-25-2026-11-25", "zyxwvutsrqponmlk", "AaAaAaAaAaAaAaAa",
      "offersofferstokentoken", "1qaz2wsx3edc4rfv", "!!!!!!!!!!!!!!!!!!!!", "9876543210987654",
      "my-secret-offers-token", "p4ssw0rdp4ssw0rd", "thequickbrownfoxjumps", "deadbeefdeadbeef",
      "00000000000000000001", "Summer2026Summer2026", "asdfghjklasdfghjkl", "1111222233334444",
    ])
  func weak(token: String) {
    #expect(TokenStrength.bits(of: token) < TokenStrength.leastBits)
    #expect(throws: OffersError.self) { try ServerToken.check(token, in: "token") }
  }

  private static func random(
    _ alphabet: String, _ count: Int, _ generator: inout SeededGenerator
  ) -> String {
    let characters = Array(alphabet)
    return String(
      (0..<count).map { _ in characters[Int(generator.next() % UInt64(characters.count))] })
  }

  @Test("random tokens of usual programs are accepted")
  func strong() {
    var generator = SeededGenerator(seed: 7)
    let lower = "abcdefghijklmnopqrstuvwxyz"
    let letters = lower + lower.uppercased() + "0123456789"
    for (alphabet, count) in [
      (letters + "-_", 43), (letters + "+/", 32), ("0123456789abcdef", 32), (letters, 22),
      (letters + "!#$%&*", 20), ("0123456789abcdef-", 36), (lower + "0123456789", 26), (lower, 32),
      ("0123456789", 24),
    ] {
      for _ in 0..<300 {
        let token = Self.random(alphabet, count, &generator)
        #expect(TokenStrength.bits(of: token) >= TokenStrength.leastBits, "\(token)")
      }
    }
  }

  @Test("a long text of words is accepted")
  func words() {
    #expect(
      TokenStrength.bits(of: "gravel-onward-mimosa-cable-frostbite-untidy")
        >= TokenStrength.leastBits)
  }

  @Test("the estimate of the longest tokens takes no time that a person feels")
  func long() {
    #expect(TokenStrength.bits(of: String(repeating: "ab", count: 2048)) < TokenStrength.leastBits)
    #expect(TokenStrength.bits(of: "") == 0)
  }

  @Test("a token file must be a regular file, private, and hold a strong token")
  func file() throws {
    let folder = try TemporaryFolder()
    func refusal(_ text: String, mode: Int = 0o600) throws -> String? {
      let path = try folder.write(text, to: "token")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      do {
        _ = try TokenFile(path)
        return nil
      } catch let error as OffersError {
        #expect(error.hint != nil)
        return error.message
      }
    }
    let good = ServedHome.token
    #expect(try refusal(good + "\n") == nil)
    #expect(try refusal(good + "\r\n") == nil)
    #expect(try refusal("kE4tqPz0YbW7-mR\n")?.contains("too short") == true)
    #expect(try refusal("")?.contains("too short") == true)
    #expect(try refusal("passwordpassword")?.contains("too weak") == true)
    #expect(try refusal(good + " ghi")?.contains("no token") == true)
    #expect(try refusal(good + "\nghi")?.contains("no token") == true)
    #expect(try refusal(good + "\u{E9}")?.contains("no token") == true)
    #expect(try refusal(String(repeating: good, count: 300))?.contains("no token") == true)
    #expect(try refusal(good, mode: 0o640)?.contains("Others") == true)
    #expect(try refusal(good, mode: 0o604)?.contains("Others") == true)
    #expect(throws: OffersError.self) { try TokenFile(folder.path) }
    #expect(throws: OffersError.self) { try TokenFile(folder.file("nothing")) }
  }
}
