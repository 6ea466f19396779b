import OffersCore

/// A printer of a JSON document `{"name":[…]}` that holds one page of the list in memory at a time.
///
/// It prints nothing before the first page, so that a refused command prints no partial document.
struct PagedJSON {
  private let start: String
  private let pricedFeeds: Set<String>
  private var isFirst = true

  /// - Parameters:
  ///   - name: the name of the document's only member.
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
  func finish() throws { try Output.printData((isFirst ? start : "") + "]}") }
}
