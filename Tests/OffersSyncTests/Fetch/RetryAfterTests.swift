import Foundation
import Testing

@testable import OffersSync

@Suite("Retry-After")
struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private static let now = Date(timeIntervalSince1970: 784_111_777)

  @Test(
    "seconds and dates yield a time between now and a week later",
    arguments: [
      ("120", 120.0), (" 120 ", 120), ("1", 1), ("0", 0), ("00", 0), ("604799", 604_799),
      ("604800", 604_800), ("604801", 604_800), ("99999999999999999999999", 604_800),
      ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
      ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
      ("Sun, 06 Nov 1994 08:49:36 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Sun, 13 Nov 1994 08:49:37 GMT", 604_800), ("Sun, 13 Nov 1994 08:49:38 GMT", 604_800),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 604_800),
    ])
  func readsWaits(text: String, seconds: Double) {
    #expect(RetryAfter.date(text, now: Self.now) == Self.now.addingTimeInterval(seconds))
  }

  @Test(
    "an invalid value is ignored",
    arguments: [
      nil, "", " ", "-1", "+5", "1.5", "5s", "soon", "120, 60", "0x10",
      "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:37 XST",
    ])
  func refusesOthers(text: String?) {
    #expect(RetryAfter.date(text, now: Self.now) == nil)
  }
}
