import OffersCore
import OffersFeeds
import Testing

@Suite("Paths to values")
struct FieldPathTests {
  typealias Step = FieldPath.Step

  @Test(
    "a path survives parsing and printing",
    arguments: [
      ("name", FieldPath([.key("name")])),
      ("feed.results", FieldPath([.key("feed"), .key("results")])),
      ("id.attributes.im:id", FieldPath([.key("id"), .key("attributes"), .key("im:id")])),
      ("rdf:RDF.item", FieldPath([.key("rdf:RDF"), .key("item")])),
      ("cross street.no-1", FieldPath([.key("cross street"), .key("no-1")])),
      ("_id.$oid", FieldPath([.key("_id"), .key("$oid")])),
      ("\"$oid\"", FieldPath([.key("$oid")])),
      ("naïve.größe", FieldPath([.key("naïve"), .key("größe")])),
      ("variants[0].price", FieldPath([.key("variants"), .index(0), .key("price")])),
      ("list[-1]", FieldPath([.key("list"), .index(-1)])),
      ("[0].name", FieldPath([.index(0), .key("name")])),
      ("a[0][1]", FieldPath([.key("a"), .index(0), .index(1)])),
      ("genres[*].name", FieldPath([.key("genres"), .all, .key("name")])),
      ("*", FieldPath([.all])),
      ("*[*].id", FieldPath([.all, .all, .key("id")])),
      ("link[rel=self]", FieldPath([.key("link"), .matching(key: ["rel"], value: "self")])),
      (
        "im:image[@height=170]",
        FieldPath([.key("im:image"), .matching(key: ["@height"], value: "170")])
      ),
      (
        "link[attributes.rel=a.b/c]",
        FieldPath([.key("link"), .matching(key: ["attributes", "rel"], value: "a.b/c")])
      ),
      ("a[type=x y]", FieldPath([.key("a"), .matching(key: ["type"], value: "x y")])),
      ("a[type=\"]\"]", FieldPath([.key("a"), .matching(key: ["type"], value: "]")])),
      ("a[\"x=y\"=\"\"]", FieldPath([.key("a"), .matching(key: ["x=y"], value: "")])),
      ("link.@href", FieldPath([.key("link"), .key("@href")])),
      ("@rdf:about", FieldPath([.key("@rdf:about")])),
      ("@key", FieldPath([.ownKey(1)])),
      ("@key2", FieldPath([.ownKey(2)])),
      ("\"@key\"", FieldPath([.key("@key")])),
      ("a.@key", FieldPath([.key("a"), .key("@key")])),
      ("@keyword", FieldPath([.key("@keyword")])),
      ("$", FieldPath.root),
      ("$.feed.title", FieldPath(isFromDocument: true, [.key("feed"), .key("title")])),
      ("$[0]", FieldPath(isFromDocument: true, [.index(0)])),
      (".", FieldPath.itself),
      ("\"a.b\".c", FieldPath([.key("a.b"), .key("c")])),
      ("\"a\\\"b\"", FieldPath([.key("a\"b")])),
      ("\"it's\"", FieldPath([.key("it's")])),
      ("\"back\\\\slash.\"", FieldPath([.key("back\\slash.")])),
      ("a\\b", FieldPath([.key("a\\b")])),
      ("\"\"", FieldPath([.key("")])),
      ("\" a\"", FieldPath([.key(" a")])),
      ("\"@\"", FieldPath([.key("@")])),
      ("\"env:A\"", FieldPath([.key("env:A")])),
    ])
  func reads(text: String, path: FieldPath) throws {
    #expect(try FieldPath(parsing: text) == path)
    #expect(path.description == text)
  }

  @Test(
    "alternative notations are parsed",
    arguments: [
      ("", "."), ("  name ", "name"), ("*.id", "*.id"), ("a.*.b", "a[*].b"), ("a.*", "a[*]"),
      ("'a.b'", "\"a.b\""), ("'it''s'", "\"it's\""), ("\"say \"\"x\"\"\"", "\"say \\\"x\\\"\""),
      ("a[\"b.c\"]", "a.\"b.c\""), ("a['b']", "a.b"), ("a[ 0 ]", "a[0]"), ("a[ * ]", "a[*]"),
      ("a[ x = 'y' ]", "a[x=y]"), ("a[+1]", "a[1]"), ("@key1", "@key"), ("'x'.y", "x.y"),
    ])
  func understands(text: String, printed: String) throws {
    #expect(try FieldPath(parsing: text).description == printed)
  }

  @Test(
    "an invalid path is refused with the position",
    arguments: [
      ("a..b", "there is no key at character 3"),
      (".a", "there is no key at character 1"),
      ("a.", "nothing follows the last dot"),
      ("$a", "a dot must follow the $"),
      ("$.", "there is no key at character 3"),
      ("a[", "the [ at character 2 is never closed"),
      ("a[0", "the [ at character 2 is never closed"),
      ("a[*", "the [ at character 2 is never closed"),
      ("a[x=", "the [ at character 2 is never closed"),
      ("a[x=1", "the [ at character 2 is never closed"),
      ("a[\"x\"", "the [ at character 2 is never closed"),
      ("a[]", "there is no key at character 3"),
      ("a[=1]", "there is no key at character 3"),
      ("a[x=]", "there is no value at character 5"),
      ("a[x]", "[x] at character 2 is not a number, * or key=value"),
      ("a[1.5]", "[1.5] at character 2 is not a number, * or key=value"),
      ("a[99999999999]", "is not a number, * or key=value"),
      ("a[0]b", "a dot is missing before character 5"),
      ("\"a\"b", "a dot is missing before character 4"),
      ("a]", "the ] at character 2 is in a key without quotes"),
      ("a{b}", "the { at character 2 is in a key without quotes"),
      ("a*", "the * at character 2 is in a key without quotes"),
      ("*a", "the * at character 1 is part of a key"),
      ("a\"b", "the \" at character 2 is in a key without quotes"),
      ("it's", "the ' at character 3 is in a key without quotes"),
      ("\"a", "the quote at character 1 is never closed"),
      ("\"a\\", "the \\ at character 3 precedes neither a quote nor a \\"),
      ("\"a\\n\"", "the \\ at character 3 precedes neither"),
      ("a . b", "the key at character 1 has a space around it"),
      ("@", "no name follows the @ at character 1"),
      ("@key0", "@key counts from 1"),
      ("@key999999999999999999999", "@key counts from 1"),
      (String(repeating: "a.", count: 128) + "a", "it has more than 128 steps"),
    ])
  func refuses(text: String, problem: String) {
    let error = #expect(throws: OffersError.self) { try FieldPath(parsing: text) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.hasPrefix("“\(text)” is not a path: ") == true)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
  }

  @Test("any key survives printing and parsing")
  func keepsKeys() throws {
    let pieces = ["a", ".", "[", "]", "{", "}", "*", "\"", "'", "\\", "=", "@", "$", " ", "é", "1"]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          let key = first + second + third
          let paths = [
            FieldPath([.key(key)]), FieldPath([.key("x"), .key(key), .index(2)]),
            FieldPath(isFromDocument: true, [.key(key)]),
            FieldPath([.key("x"), .matching(key: [key, first], value: key), .key(second)]),
          ]
          for path in paths {
            #expect(try FieldPath(parsing: path.description) == path, "\(path)")
          }
        }
      }
    }
  }
}
