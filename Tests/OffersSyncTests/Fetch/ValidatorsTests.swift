import Foundation
import Testing

@testable import OffersSync

@Suite("Validators")
struct ValidatorsTests {
  /// Thu, 15 Jan 2026 12:00:00 GMT.
  private static let now = Date(timeIntervalSince1970: 1_768_478_400)

  private static func validators(
    etag: String? = nil, lastModified: String? = nil
  ) -> Validators {
    Validators(etag: etag, lastModified: lastModified, now: now)
  }

  @Test(
    "an entity tag is kept verbatim",
    arguments: [
      "\"abc\"", "W/\"abc\"", "w/\"abc\"", "\"a\"", "abc", "5f3a:1b==", "W/abc", "\"a b\"",
      "\"a, b\"", "\"*\"", "\"\\\"", "\"W/\"", "\"é\"", "é", "\"日本\"",
      "\"!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"",
      "'abc'", "\"" + String(repeating: "x", count: 1022) + "\"",
      String(repeating: "é", count: 512),
    ])
  func keepsTags(etag: String) {
    let validators = Self.validators(etag: etag)
    #expect(validators.etag == etag)
    #expect(!validators.isEmpty)
  }

  @Test(
    "an entity tag that is empty, matches any version or breaks a header is dropped",
    arguments: [
      "", "\"\"", "W/\"\"", "w/\"\"", "W/", "\"", "W/\"", "*", "W/*", " ", " \"abc\"", "\"abc\" ",
      "W/ \"abc\"", "a b", "\"abc", "abc\"", "a\"b", "\"a\"b\"", "\"a\", \"b\"", "\"a\",\"b\"",
      "a,b",
      "\"abc\"\r\nX: y", "\"a\nb\"", "\"a\rb\"", "\"a\r\nb\"", "\"a\tb\"", "\"a\0b\"",
      "\"a\u{7F}b\"", "a\u{1B}b", "abc\n",
      "\"" + String(repeating: "x", count: 1023) + "\"", String(repeating: "é", count: 513),
    ])
  func dropsTags(etag: String) {
    let validators = Self.validators(etag: etag)
    #expect(validators.etag == nil)
    #expect(validators.isEmpty)
    #expect(validators.conditions.isEmpty)
  }

  @Test(
    "a date is kept verbatim",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994", "06 Nov 1994 08:49:37 UTC", "Tue, 01 Jan 1991 00:00:00 GMT",
      "Thu, 15 Jan 2026 12:00:00 GMT", "Fri, 16 Jan 2026 12:00:00 GMT",
    ])
  func keepsDates(text: String) {
    let validators = Self.validators(lastModified: text)
    #expect(validators.lastModified == text)
    #expect(!validators.isEmpty)
  }

  @Test(
    "an invalid or impossible date is dropped",
    arguments: [
      "", "0", "-1", "yesterday", "2026-01-15T12:00:00Z", "Thu, 15 Jan 2026 12:00:00 XST",
      "Sun, 30 Feb 2025 12:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
      "Mon, 01 Jan 1990 00:00:00 GMT", "Mon, 31 Dec 1990 23:59:59 GMT",
      "Fri, 16 Jan 2026 12:00:01 GMT", "Sat, 15 Jan 2028 12:00:00 GMT",
      "Thu, 15 Jan 2026 12:00:00 GMT\r\nX: y",
    ])
  func dropsDates(text: String) {
    let validators = Self.validators(lastModified: text)
    #expect(validators.lastModified == nil)
    #expect(validators.isEmpty)
  }

  @Test("each validator is kept and sent without the other")
  func keepsOneOfTwo() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let tagged = Self.validators(etag: "\"a\"", lastModified: "never")
    #expect(tagged.conditions.map(\.name) == ["If-None-Match"])
    #expect(tagged.conditions.map(\.value) == ["\"a\""])
    let dated = Self.validators(etag: "*", lastModified: date)
    #expect(dated.conditions.map(\.name) == ["If-Modified-Since"])
    #expect(dated.conditions.map(\.value) == [date])
    let both = Self.validators(etag: "W/\"a\"", lastModified: date)
    #expect(both.conditions.map(\.name) == ["If-None-Match", "If-Modified-Since"])
    #expect(both.conditions.map(\.value) == ["W/\"a\"", date])
  }

  @Test(
    "a modification within a second of the response's date is weak, and is dropped",
    arguments: [(-1, false), (0, false), (0.5, false), (1, true), (60, true)])
  func dropsWeakDates(seconds: Double, isKept: Bool) {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let modified = Date(timeIntervalSince1970: 784_111_777)
    let validators = Validators(
      etag: "\"a\"", lastModified: date, sentAt: modified + seconds, now: Self.now)
    #expect(validators.lastModified == (isKept ? date : nil))
    #expect(validators.etag == "\"a\"")
  }
}
