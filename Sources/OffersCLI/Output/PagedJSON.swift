import OffersCore

/// Prints `{"name":[…]}` page by page, so that not all of it has to be in memory.
///
/// Nothing is printed before the first page is there: what is refused prints no half document.
struct PagedJSON {
  private let start: String
  private var isFirst = true

  /// - Parameter name: of the document's only member.
  init(_ name: String) { start = "{\"\(name)\":[" }

  /// Prints some more of the list's elements.
  mutating func print<Element>(
    _ page: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) throws {
    var text = ""
    for element in page {
      var json = JSONWriter()
      write(&json, element)
      text += isFirst ? start : ","
      isFirst = false
      text += json.text
    }
    try Output.printRaw(text)
  }

  /// Prints the document's end.
  func finish() throws { try Output.print((isFirst ? start : "") + "]}") }
}
