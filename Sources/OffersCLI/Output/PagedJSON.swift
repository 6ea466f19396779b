import OffersCore

/// A printer of a JSON document `{"name":[…]}` that holds one page of the list in memory at a time.
///
/// It prints nothing before the first page, so that a refused command prints no partial document.
struct PagedJSON {
  private let start: String
  private var isFirst = true

  /// - Parameter name: the name of the document's only member.
  init(_ name: String) { start = "{\"\(name)\":[" }

  /// Prints the next elements of the list.
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

  /// Prints the end of the document, after its beginning if no element was printed.
  func finish() throws { try Output.print((isFirst ? start : "") + "]}") }
}
