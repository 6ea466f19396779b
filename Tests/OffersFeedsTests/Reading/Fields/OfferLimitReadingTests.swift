import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Records that say more than an offer keeps")
struct OfferLimitReadingTests {
  private static let fields = """
    fields:
      name: name
      description: description
      terms: terms
      reward: reward
      retailer: shop
      image: image
      link: url
      categories: "tag[*]"
    attributes: {Note: note}

    """
  private static let json = "items: offers\nid: id\n" + fields
  private static let xml =
    "items: feed.offer\nid: id\n" + fields.replacing("\"tag[*]\"", with: "tag")

  private static func read(_ yaml: String, _ document: String) throws -> FeedReading {
    let lines = yaml.split(separator: "\n").map { "    \($0)\n" }.joined()
    let file = "feeds:\n  test:\n    title: Test\n" + lines
    let definition = try #require(try DefinitionFile.parse(file, name: "test.yaml").first)
    return try FeedReading(document, as: definition)
  }

  /// Reads one record in JSON and in XML, which must come to the same.
  private static func read(_ members: [(String, String)]) throws -> FeedReading {
    let json = members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
    let xml = members.map { "<\($0)>\($1)</\($0)>" }.joined()
    let reading = try read(Self.json, "{\"offers\":[{\(json)}]}")
    #expect(try read(Self.xml, "<feed><offer>\(xml)</offer></feed>") == reading)
    return reading
  }

  private static func repeated(_ text: String, bytes: Int) -> String {
    String(repeating: text, count: bytes / text.utf8.count)
  }

  @Test(
    "a text that is as long as its limit is kept whole, and a longer one is cut and told",
    arguments: [
      ("name", OfferField.name, 4 << 10, "4 KiB"), ("reward", .reward, 4 << 10, "4 KiB"),
      ("shop", .retailer, 4 << 10, "4 KiB"), ("terms", .terms, 256 << 10, "256 KiB"),
      ("description", .description, 256 << 10, "256 KiB"),
    ])
  func texts(key: String, field: OfferField, limit: Int, size: String) throws {
    func reading(_ text: String) throws -> FeedReading {
      try Self.read([("id", "1")] + (key == "name" ? [] : [("name", "Tea")]) + [(key, text)])
    }
    let whole = Self.repeated("tea and more ", bytes: limit - 20)
    let exact = whole + String(repeating: "x", count: limit - whole.utf8.count)
    let kept = try reading(exact)
    #expect(kept.offers.first?[field] == exact)
    #expect(kept.mends.isEmpty)
    for text in [exact + "y", exact + Self.repeated("more ", bytes: 1 << 20)] {
      let cut = try reading(text)
      #expect(cut.offers.first?[field] == exact.prefix(limit - 3) + "…")
      #expect(cut.mends == ["\(field.name) is longer than \(size), cut"])
    }
  }

  @Test("no character is cut in two", arguments: ["é", "日", "🍓", "e\u{301}", "👨‍👩‍👧‍👦"])
  func characters(_ character: String) throws {
    for shift in 0..<character.utf8.count {
      let lead = String(repeating: "x", count: shift)
      let text = lead + Self.repeated(character, bytes: 8 << 10)
      let reading = try Self.read([("id", "1"), ("name", text)])
      let name = try #require(reading.offers.first?[.name])
      #expect(name.utf8.count <= 4 << 10)
      #expect(name.utf8.count > (4 << 10) - 3 - character.utf8.count)
      #expect(name.hasSuffix("…"))
      #expect(name.dropLast().dropFirst(shift).allSatisfy { String($0) == character })
    }
  }

  @Test("a character of thousands of marks is cut, too")
  func endlessCharacter() throws {
    let reading = try Self.read([
      ("id", "1"), ("name", "e" + Self.repeated("\u{301}", bytes: 1 << 20)),
    ])
    let name = try #require(reading.offers.first?[.name])
    #expect((4 << 10) - 5...4 << 10 ~= name.utf8.count)
  }

  @Test("an address that is too long is left out, not cut", arguments: ["image", "url"])
  func addresses(key: String) throws {
    let field: OfferField = key == "url" ? .url : .imageURL
    let start = "https://x.example/"
    let exact = start + String(repeating: "a", count: (8 << 10) - start.utf8.count)
    let members = [("id", "1"), ("name", "Tea")]
    let kept = try Self.read(members + [(key, exact)])
    #expect(kept.offers.first?[field] == exact)
    #expect(kept.mends.isEmpty)
    let left = try Self.read(members + [(key, exact + "a")])
    #expect(left.offers.first?[field] == nil)
    #expect(left.mends == ["\(field.name) is longer than 8 KiB, left out"])
  }

  @Test("a record whose id is too long is no offer")
  func ids() throws {
    let exact = String(repeating: "7", count: 1024)
    #expect(try Self.read([("id", exact), ("name", "Tea")]).ids == [exact])
    let reading = try Self.read([("id", exact + "7"), ("name", "Tea")])
    #expect(
      reading.events == [
        .skipped(position: 1, id: nil, reason: "id is longer than 1024 bytes")
      ])
  }

  @Test("the first 256 categories are kept, and each of them has a limit")
  func categories() throws {
    func reading(_ count: Int, _ more: String = "") throws -> FeedReading {
      let names = (1...count).map { "c\($0)" } + (more.isEmpty ? [] : [more])
      let list = names.map { "\"\($0)\"" }.joined(separator: ",")
      let json = try Self.read(
        Self.json, "{\"offers\":[{\"id\":1,\"name\":\"Tea\",\"tag\":[\(list)]}]}")
      let tags = names.map { "<tag>\($0)</tag>" }.joined()
      let xml = "<feed><offer><id>1</id><name>Tea</name>\(tags)</offer></feed>"
      #expect(try Self.read(Self.xml, xml) == json)
      return json
    }
    func kept(_ reading: FeedReading) -> [String] {
      JSONTexts.parse(reading.offers.first?[.categories] ?? "")
    }
    let first = (1...256).map { "c\($0)" }
    let exact = try reading(256)
    #expect(kept(exact) == first)
    #expect(exact.mends.isEmpty)
    for count in [257, 200_000] {
      let many = try reading(count)
      #expect(kept(many) == first)
      #expect(many.mends == ["categories are more than 256, the rest left out"])
    }
    let long = try reading(1, String(repeating: "x", count: 5000))
    #expect(kept(long) == ["c1", String(repeating: "x", count: 1021) + "…"])
    #expect(long.mends == ["a category is longer than 1 KiB, cut"])
  }

  @Test("a member that no rule reads counts for nothing, wherever it stands")
  func unreadMembers() throws {
    let numbers = "[" + String(repeating: "1,", count: 1 << 18) + "1]"
    let json = try Self.read(
      Self.json, "{\"offers\":[{\"shape\":\(numbers),\"id\":1,\"name\":\"Tea\",\"reward\":\"$1\"}]}"
    )
    #expect(json.ids == ["1"])
    #expect(json.offers.first?[.reward] == "$1")
    #expect(json.mends.isEmpty)
    let bytes = String(repeating: "QUJD", count: 17 << 18)
    let shape = String(repeating: "<p/>", count: 1 << 18)
    let xml =
      "<feed><offer a='1'>text<data><d>\(bytes)</d></data><shape>\(shape)</shape>"
      + "<id>1</id><name>Tea</name><reward>$1</reward></offer></feed>"
    #expect(try Self.read(Self.xml, xml) == json)
  }

  @Test("the names of elements count to the size of a record")
  func elementNames() throws {
    let name = "n" + String(repeating: "x", count: 1000)
    let tags = String(repeating: "<\(name)/>", count: 17_000)
    let reading = try Self.read(
      Self.xml, "<feed><offer><id>1</id><name>Tea</name><tag>\(tags)</tag></offer></feed>")
    #expect(reading.error?.code == .limitExceeded)
  }

  /// A copy of all elements at each level would take a hundred times as long.
  @Test("a large list in many lists is flattened in about the time of a large list")
  func nestedLists() {
    let flat = RecordValue.list(Array(repeating: .number("1"), count: 20_000))
    let nested = (1...100).reduce(flat) { inner, _ in .list([inner]) }
    func time(_ value: RecordValue) -> Duration {
      (0..<5).map { _ in
        ContinuousClock().measure {
          #expect(RecordValue.Found(value).elements.count == 20_000)
        }
      }.min() ?? .zero
    }
    #expect(time(nested) / 20 < time(flat))
  }

  @Test("categories that differ in their bytes only are kept as they are")
  func equivalentCategories() throws {
    let reading = try FeedReading(
      "[{\"id\":1,\"name\":\"Tea\",\"tags\":[\"Caf\u{E9}\",\"Cafe\u{301}\",\"Caf\u{E9}\"]}]",
      as: .with([.name: ["name"], .categories: ["tags"]]))
    let kept = reading.offers.first?[.categories].map { Array($0.utf8) }
    #expect(kept == Array("[\"Caf\u{E9}\",\"Cafe\u{301}\"]".utf8))
  }

  @Test("a value beyond those that are kept of a record costs no memory, and is told")
  func values() throws {
    for count in [1 << 18, 1 << 20] {
      let list = String(repeating: "1,", count: count) + "1"
      let json = try Self.read(
        Self.json, "{\"offers\":[{\"id\":1,\"name\":\"Tea\",\"tag\":[\(list)]}]}")
      #expect(json.ids == ["1"])
      let told = "the record has more than 262144 values, the rest left out"
      #expect(json.mends.first?.hasSuffix(told) == true)
      let tags = String(repeating: "<tag>1</tag>", count: count)
      let xml = "<feed><offer><id>1</id><name>Tea</name>\(tags)</offer></feed>"
      #expect(try Self.read(Self.xml, xml) == json)
    }
  }

  @Test("an attribute and its label have 16 KiB together, and an offer has 256 of them")
  func attributes() throws {
    let exact = String(repeating: "v", count: (16 << 10) - 4)
    let kept = try Self.read([("id", "1"), ("name", "Tea"), ("note", exact)])
    #expect(kept.offers.first?[.attributes] == "[[\"Note\",\"\(exact)\"]]")
    #expect(kept.mends.isEmpty)
    let cut = try Self.read([
      ("id", "1"), ("name", "Tea"), ("note", exact + String(repeating: "v", count: 1 << 20)),
    ])
    #expect(cut.offers.first?[.attributes] == "[[\"Note\",\"\(exact.dropLast(3))…\"]]")
    #expect(cut.mends == ["Note is longer than 16 KiB, cut"])

    let rules = (1...1000).map { "  A\($0): v\n" }.joined()
    let many = try Self.read(
      "items: offers\nid: id\nfields: {name: name}\nattributes:\n" + rules,
      "{\"offers\":[{\"id\":1,\"name\":\"Tea\",\"v\":\"x\"}]}")
    let attributes = OfferAttribute.parse(many.offers.first?[.attributes] ?? "")
    #expect(attributes.map(\.label) == (1...256).map { "A\($0)" })
    #expect(many.mends == ["attributes are more than 256, the rest left out"])
  }

  @Test("a title and shared values have limits, told of the document")
  func facts() throws {
    let long = String(repeating: "x", count: 20 << 10)
    let reading = try YAMLReading(
      """
      title: {from: title}
      items: offers
      id: id
      fields: {name: name}
      shared: {Copyright: copyright, Country: country}
      """,
      """
      {"title":"\(long)","copyright":"\(long)","country":"us","offers":[{"id":1,"name":"Tea"}]}
      """)
    #expect(reading.facts.title == long.prefix(4093) + "…")
    #expect(
      reading.facts.shared
        == ["Copyright: \(long.prefix((16 << 10) - 12))…", "Country: us"])
    #expect(
      reading.mends == [
        "0: shared has more than 256 values or one longer than 16 KiB, cut",
        "0: title is longer than 4 KiB, cut",
      ])
  }

  @Test("a number that is no degree is told in few bytes, however many marks it has")
  func degrees() throws {
    let reading = try Self.read(
      "items: offers\nid: id\nfields: {name: name, latitude: at}",
      "{\"offers\":[{\"id\":1,\"name\":\"Tea\",\"at\":\"1\(Self.repeated("\u{301}", bytes: 1 << 20))\"}]}"
    )
    #expect(reading.mends.count == 1)
    #expect(reading.mends.allSatisfy { $0.utf8.count < 200 })
  }

  @Test("an XML record of more than 16 MiB of texts is refused as one in JSON is")
  func largeRecord() throws {
    let piece = String(repeating: "x", count: 1 << 20)
    let pieces = String(repeating: "\(piece)<b/>", count: 17)
    let reading = try Self.read(
      Self.xml, "<feed><offer><id>1</id><name>\(pieces)</name></offer></feed>")
    #expect(reading.offers.isEmpty)
    #expect(reading.error?.code == .limitExceeded)
    #expect(reading.error?.message == "Record 1 is larger than 16 MiB.")
  }
}
