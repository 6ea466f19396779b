import Foundation
import Testing

@testable import OffersSync

@Suite("Cache freshness")
struct CacheFreshnessTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private static let now = Date(timeIntervalSince1970: 784_111_777)
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let hourLater = "Sun, 06 Nov 1994 09:49:37 GMT"

  private static func seconds(
    _ cacheControl: [String] = [], expires: String? = nil, date: String? = nil, age: String? = nil
  ) -> Int? {
    CacheFreshness.seconds(
      cacheControl: cacheControl, expires: expires, date: date, age: age, receivedAt: now)
  }

  @Test(
    "max-age is parsed in all its spellings",
    arguments: [
      (["max-age=60"], 60), (["MAX-AGE=60"], 60), (["Max-Age=\"60\""], 60),
      (["public, max-age=60, must-revalidate"], 60), (["public,max-age=60"], 60),
      ([" , ,max-age=60 ,"], 60), (["max-age = 60"], 60),
      (["public", "max-age=60"], 60), (["max-age=60, s-maxage=5"], 60),
      (["s-maxage=5, max-age=60"], 60), (["max-age=0"], 0),
      (["private=\"set-cookie, no-cache\", max-age=60"], 60),
      (["private=\"a\\\", no-store\", max-age=60"], 60),
      (["max-age=60, extension=\"no-store\""], 60), (["max-age=60, x-no-cache"], 60),
      (["max-age=2147483647"], 2_147_483_647), (["max-age=2147483648"], 2_147_483_647),
      (["max-age=99999999999999999999999"], 2_147_483_647),
    ])
  func readsMaxAge(lines: [String], expected: Int) {
    #expect(Self.seconds(lines) == expected)
  }

  @Test(
    "the first of several directives applies",
    arguments: [
      (["max-age=60, max-age=5"], 60), (["max-age=5", "max-age=60"], 5),
      (["max-age=x, max-age=60"], 0), (["max-age, max-age=60"], 0),
    ])
  func takesTheFirst(lines: [String], expected: Int) {
    #expect(Self.seconds(lines) == expected)
  }

  @Test(
    "no-store and no-cache mean stale at once",
    arguments: [
      ["no-store"], ["no-cache"], ["No-Cache"], ["NO-STORE"], ["max-age=60, no-cache"],
      ["max-age=60", "no-store"], ["no-cache, max-age=60"], ["no-cache=\"set-cookie\", max-age=60"],
      ["max-age=60,no-store"], [" no-store "],
    ])
  func obeysRefusals(lines: [String]) {
    #expect(Self.seconds(lines) == 0)
    #expect(Self.seconds(lines, expires: Self.hourLater, date: Self.date) == 0)
  }

  @Test(
    "an invalid max-age means stale, even with an Expires",
    arguments: ["max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1h", "max-age=\"60"])
  func refusesMaxAge(line: String) {
    #expect(Self.seconds([line]) == 0)
    #expect(Self.seconds([line], expires: Self.hourLater, date: Self.date) == 0)
  }

  @Test(
    "the Age is subtracted",
    arguments: [
      ("0", 60), ("20", 40), (" 20 ", 40), ("60", 0), ("61", 0), ("99999999999999999999", 0),
      ("20, 50", 40), ("", 60), ("-5", 60), ("abc", 60), ("1.5", 60),
    ])
  func takesOffTheAge(age: String, expected: Int) {
    #expect(Self.seconds(["max-age=60"], age: age) == expected)
    let end = "Sun, 06 Nov 1994 08:50:37 GMT"
    #expect(Self.seconds(expires: end, date: Self.date, age: age) == expected)
  }

  @Test(
    "Expires is relative to Date, not to the local clock",
    arguments: [
      ("Sun, 06 Nov 1994 09:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 3600),
      ("Tue, 06 Nov 2035 09:49:37 GMT", "Tue, 06 Nov 2035 08:49:37 GMT", 3600),
      ("Tue, 06 Nov 1984 09:49:37 GMT", "Tuesday, 06-Nov-84 08:49:37 GMT", 3600),
      ("Sun Nov  6 09:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT", 3600),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
      ("Sun, 06 Nov 1994 07:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 2_147_483_647),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", 0),
    ])
  func readsExpires(expires: String, date: String, expected: Int) {
    #expect(Self.seconds(expires: expires, date: date) == expected)
    #expect(Self.seconds(["public, s-maxage=7"], expires: expires, date: date) == expected)
    #expect(Self.seconds(["max-age=5"], expires: expires, date: date) == 5)
  }

  @Test("without a valid Date the time of receipt is used", arguments: [nil, "", "0"])
  func replacesDates(date: String?) {
    #expect(Self.seconds(expires: Self.hourLater, date: date) == 3600)
  }

  @Test("fractions of a second are truncated")
  func cutsSeconds() {
    let seconds = CacheFreshness.seconds(
      cacheControl: [], expires: Self.hourLater, date: nil, age: nil,
      receivedAt: Self.now.addingTimeInterval(0.25))
    #expect(seconds == 3599)
  }

  @Test(
    "an invalid Expires means stale",
    arguments: [
      "", "0", "-1", "now", "Sun, 06 Nov 2094 08:49:37 XST", "Sun, 31 Nov 2094 08:49:37 GMT",
    ])
  func refusesExpires(expires: String) {
    #expect(Self.seconds(expires: expires, date: Self.date) == 0)
    #expect(Self.seconds(["public"], expires: expires) == 0)
    #expect(Self.seconds(["max-age=60"], expires: expires) == 60)
  }

  @Test(
    "a response without freshness information yields nil",
    arguments: [
      [], [""], [","], ["public"], ["private, must-revalidate", "immutable"], ["s-maxage=60"],
      ["=60"], ["max-agee=60"], ["private=\"max-age=60\""], ["\"max-age=60\""],
      ["stale-while-revalidate=60"],
    ])
  func saysNothing(lines: [String]) {
    #expect(Self.seconds(lines) == nil)
    #expect(Self.seconds(lines, date: Self.date, age: "5") == nil)
    #expect(Self.seconds(age: "5") == nil)
  }
}
