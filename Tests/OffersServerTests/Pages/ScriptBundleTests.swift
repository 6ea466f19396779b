import Testing

@testable import OffersServer

@Suite("The scripts of every page in one file")
struct ScriptBundleTests {
  private static let scripts = [
    "app.js": """
    import {say as tell, greeting} from "./words.js?v=__VERSION__";
    import "./page-end.js?v=__VERSION__";
    import {upper} from "./letters.js?v=__VERSION__";
    tell(upper(greeting));
    """,
    "words.js": """
    import {upper} from "./letters.js?v=__VERSION__";
    export const greeting = upper("hello");
    export async function say(text) {
      console.log(text);
    }
    """,
    "letters.js": """
    export const {upper, lower} = self.letters;
    """,
    "page-end.js": "addEventListener(\"pagehide\", () => {});",
  ]

  @Test("each script runs once, behind those that it imports")
  func order() throws {
    let text = try #require(ScriptBundle("app.js") { Self.scripts[$0] }.files["app.js"])
    #expect(
      text == """
        const $letters = (() => {
        const {upper, lower} = self.letters;
        return {upper, lower};
        })();
        const $words = (() => {
        const {upper} = $letters;
        const greeting = upper("hello");
        async function say(text) {
          console.log(text);
        }
        return {greeting, say};
        })();
        (() => {
        addEventListener("pagehide", () => {});
        return {};
        })();
        (() => {
        const {say: tell, greeting} = $words;
        const {upper} = $letters;
        tell(upper(greeting));
        return {};
        })();
        export {$letters, $words};

        """)
  }

  @Test("a script that is loaded later gets the same exports under the old names")
  func names() {
    let files = ScriptBundle("app.js") { Self.scripts[$0] }.files
    #expect(
      files["words.js"] == """
        import {$words} from "./app.js?v=__VERSION__";
        export const {greeting, say} = $words;

        """)
    // A script without exports is served unchanged.
    #expect(files.keys.sorted() == ["app.js", "letters.js", "words.js"])
  }

  @Test("the scripts of the pages have no import that is left, and no import in a circle")
  func pages() throws {
    let files = ScriptBundle("app.js") { name in
      EmbeddedPageFiles.find(name).map { String(decoding: $0, as: UTF8.self) }
    }.files
    let text = try #require(files["app.js"])
    #expect(!text.contains("\nimport ") && files.count > 10)
    // A script that is used before it has run is named before it is declared.
    for (name, stub) in files where name != "app.js" {
      // Some are used by scripts that are loaded later only.
      guard let variable = stub.between("import {", "}"),
        let first = text.firstRange(of: "= \(variable);")
      else { continue }
      let made = try #require(text.firstRange(of: "const \(variable) = "))
      #expect(made.lowerBound < first.lowerBound, "\(name)")
    }
  }
}
