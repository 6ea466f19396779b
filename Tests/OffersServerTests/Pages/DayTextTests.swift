import Testing

@testable import OffersServer

@Suite("days on pages")
struct DayTextTests {
  @Test(
    "a date is written in words, and any other text stays",
    arguments: [
      ("2025-01-05", "5 January 2025"), ("1999-12-31", "31 December 1999"),
      ("2025-02-30", "2025-02-30"), ("2025-1-5", "2025-1-5"), ("+025-01-05", "+025-01-05"),
      ("2013-06-24T07:00:00Z", "2013-06-24T07:00:00Z"), ("", ""),
    ])
  func words(text: String, expected: String) {
    #expect(DayText.words(text) == expected)
  }

  @Test(
    "a heading names days near today, and the day of the week within the year",
    arguments: [
      ("2026-11-25", "Today"), ("2026-11-24", "Yesterday"), ("2026-11-26", "Tomorrow"),
      ("2026-11-17", "Tuesday, 17 November"), ("2026-01-01", "Thursday, 1 January"),
      ("2025-12-31", "31 December 2025"), ("soon", "soon"),
    ])
  func headings(text: String, expected: String) {
    #expect(DayText.heading(text, today: "2026-11-25") == expected)
  }
}
