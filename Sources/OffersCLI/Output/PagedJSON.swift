import OffersCore

/// A printer of a JSON document that begins with a list, and holds one page of it in memory at a time.
///
/// It prints nothing before the first page, so that a refused command prints no partial document.
struct PagedJSON {
  private let start: String
  private let pricedFeeds: Set<String>
  private var isFirst = true

  /// - Parameters:
  ///   - name: the name of the list.
  ///   - pricedFeeds: the feeds whose values are prices.
  init(_ name: String, pricedFeeds: Set<String>) {
    start = "{\"\(name)\":["
    self.pricedFeeds = pricedFeeds
  }

  /// Prints the next elements of the list.
  mutating func print<Element>(
    _ page: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) throws {
    var text = ""
    for element in page {
      var json = JSONWriter()
      json.pricedFeeds = pricedFeeds
      write(&json, element)
      text += isFirst ? start : ","
      isFirst = false
      text += json.text
    }
    try Output.printData(text, terminator: "")
  }

  /// Prints the end of the document, after its beginning if no element was printed.
  ///
  /// - Parameter write: writes the members after the list.
  func finish(_ write: (inout JSONWriter) -> Void = { _ in }) throws {
    let rest = JSONWriter.document(write).dropFirst()
    try Output.printData((isFirst ? start : "") + "]" + (rest == "}" ? "" : ",") + rest)
  }
}
