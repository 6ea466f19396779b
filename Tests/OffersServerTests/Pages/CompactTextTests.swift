import Testing

@testable import OffersServer

@Suite("What browsers get of style sheets and scripts")
struct CompactTextTests {
  @Test("Comments, empty lines and indentation are left out, and lines stay apart")
  func comments() {
    let source = """
      /* The card. */
      .card {
        color: red; /* A color. */

        /* Two
           lines. */
        background: url("data:image/svg+xml,%3Csvg//%3E");
      }
      // Sends it.
      const address = "https://a.example/*";
      /**
       * Returns the address.
       */
      return address // the address
        .split("*/")
      """
    #expect(
      CompactText.make(source) == """
        .card {
        color: red;
        background: url("data:image/svg+xml,%3Csvg//%3E");
        }
        const address = "https://a.example/*";
        return address // the address
        .split("*/")

        """)
  }

  @Test("No served style sheet or script has a line that is a comment or is indented")
  func served() throws {
    let names = PageAssets.shared.files.keys.filter { $0.hasSuffix(".css") || $0.hasSuffix(".js") }
    #expect(names.count > 20)
    for name in names {
      let text = String(buffer: try #require(PageAssets.shared.files[name]).lasting.body)
      for line in text.split(separator: "\n") {
        let isLeft = ["//", "/*", " "].contains(where: line.hasPrefix)
        #expect(!isLeft, "\(name): \(line)")
      }
    }
  }
}
