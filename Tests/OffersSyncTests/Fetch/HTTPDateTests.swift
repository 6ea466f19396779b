import Foundation
import Testing

@testable import OffersSync

@Suite("HTTP dates")
struct HTTPDateTests {
  private static func seconds(_ text: String) -> Double? {
    HTTPDate.parse(text)?.timeIntervalSince1970
  }

  @Test(
    "all three forms are parsed",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Wed Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
  func readsAllForms(text: String, expected: Double) {
    #expect(Self.seconds(text) == expected)
  }

  @Test(
    "harmless deviations are accepted",
    arguments: [
      "06 Nov 1994 08:49:37 GMT", "6 Nov 1994 08:49:37 GMT", "06-Nov-94 08:49:37 GMT",
      "Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
      "sun, 06 nov 1994 08:49:37 gmt", "SUN NOV  6 08:49:37 1994", "Sun 06 Nov 1994 08:49:37 GMT",
      "  Sun,  06 Nov 1994\t08:49:37 GMT ", "Mon, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 09:49:37 +0100",
      "Sun, 06 Nov 1994 03:49:37 EST",
    ])
  func readsDeviations(text: String) {
    #expect(Self.seconds(text) == 784_111_777)
  }

  @Test(
    "days and times that do not exist are refused",
    arguments: [
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT", "Wed Feb 29 00:00:00 2023",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 23:59:61 GMT",
    ])
  func refusesImpossible(text: String) {
    #expect(Self.seconds(text) == nil)
  }

  @Test(
    "a number, a day without a time and any other text are refused",
    arguments: [
      "", " ", "0", "-1", "now", "Sun,", "784111777", "1440154800", "19941106", "0000000001",
      "1994-11-06T08:49:37Z", "06.11.1994 08:49", "11/06/1994 08:49:37", "/Date(784111777000)/",
      "Sun, 06 Nov 1994", "Nov 6, 1994", "Sun, 06 Nov 1994 08:49:37 XST",
      "Sun, 06 Nix 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT\n", "Sun,\r\n 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT (\r\nX: y)", "Sun, 06 Nov 1994 08:49:37 GMT\0",
      "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:4\u{301}9:37 GMT",
      "Sun," + String(repeating: " ", count: 64) + "06 Nov 1994 08:49:37 GMT",
    ])
  func refusesOthers(text: String) {
    #expect(Self.seconds(text) == nil)
  }
}
