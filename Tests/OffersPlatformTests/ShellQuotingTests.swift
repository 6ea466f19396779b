import ChildProcesses
import Foundation
import OffersPlatform
import OffersTestSupport
import Testing

@Suite("Words of a shell")
struct ShellQuotingTests {
  /// Each sign of ASCII but NUL, by itself, amid letters, and with what makes one Character of it.
  private static let texts: [String] = (1..<128).flatMap { (byte: UInt8) -> [String] in
    let sign = String(Unicode.Scalar(byte))
    return [sign, "a\(sign)b", "\(sign)\(sign)"]
      + ["\u{301}", "\u{200D}", "\u{FE0F}"].flatMap { ["\(sign)\($0)", "x\(sign)\($0)$(echo p)'"] }
  }

  /// Runs `printf` in a shell, and returns the words that it receives, each terminated by NUL.
  private static func understood(_ words: [String], by shell: [String]) throws -> [String] {
    let folder = try TemporaryFolder()
    let script = "printf '%s\\0' " + words.joined(separator: " ")
    let path = try folder.write(script, to: "script")
    let output = try #require(try ChildProcess.output(of: shell + [path]))
    return output.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "every text comes back from every shell as it was",
    arguments: [["/bin/sh"], ["bash"], ["zsh", "-f"], ["fish", "--no-config"]])
  func comesBack(shell: [String]) throws {
    let others = ["", "é", "'\u{301}$(x)'\u{301}", "a b", "-x", "~root", "{a,b}", "=ls"]
    let texts = Self.texts + others
    let found = try Self.understood(texts.map(ShellQuoting.word), by: shell)
    #expect(found.count == texts.count)
    for (found, text) in zip(found, texts) {
      #expect(Array(found.utf8) == Array(text.utf8), "\(text.unicodeScalars.map(\.value))")
    }
  }

  @Test("plain texts stay as they are, all others are quoted; a NUL is left out")
  func plain() {
    let address = "https://x.org/a_b-1,2+3@4.json"
    #expect(ShellQuoting.word(address) == address)
    #expect(ShellQuoting.word("") == "''")
    #expect(ShellQuoting.word("a b") == "'a b'")
    #expect(ShellQuoting.word("it's") == #"'it'\''s'"#)
    #expect(ShellQuoting.word("50%") == #"'50'\%"#)
    #expect(ShellQuoting.word("a\0b") == "'ab'")
    let plain = (0...UInt8.max).filter(ShellQuoting.isPlain)
    #expect(plain.count == 70)
  }

  @Test("texts are cut and edited by scalars, whatever follows a sign")
  func scalars() {
    #expect("a\r\nb\n".split(scalar: "\n") == ["a\r", "b"])
    #expect("a,\u{301}b,,c".split(scalar: ",", omittingEmptySubsequences: false).count == 4)
    #expect("a=b=c".split(scalar: "=", maxSplits: 1) == ["a", "b=c"])
    let edited = "'\u{301} '".replacing(bytes: "'", with: "\\'")
    #expect(Array(edited.utf8) == Array("\\'\u{301} \\'".utf8))
    #expect("aaa".replacing(bytes: "aa", with: "b") == "ba")
    #expect("abc".replacing(bytes: "", with: "x") == "abc")
    #expect("ab".replacing(bytes: "abc", with: "x") == "ab")
  }
}
