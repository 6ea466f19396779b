import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Tables")
struct TableReaderTests {
  private static let yaml = """
    format: csv
    id: id
    currency: EUR
    fields: {name: name, price: price, description: text}
    """
  private static let found = "id: id\nfields: {name: name, price: price, description: text}"

  /// Reads rows below a header.
  private static func read(
    _ rows: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> YAMLReading {
    try YAMLReading(yaml, "id,name,price,text\n" + rows, sourceLocation: sourceLocation)
  }

  @Test("each row is an offer, with a declared or a detected format", arguments: [yaml, found])
  func rows(yaml: String) throws {
    let reading = try YAMLReading(
      yaml,
      "id,name,price,text\n1,Tea,4.90,\n002,\"Jam, \"\"red\"\"\",\"3,20\",\"Sweet.\r\nGood.\"\n")
    #expect(reading.isClean)
    #expect(
      reading.offers == [
        [.id: "1", .name: "Tea", .reward: "4.90"],
        [.id: "002", .name: "Jam, \"red\"", .reward: "3,20", .description: "Sweet.\nGood."],
      ])
  }

  @Test(
    "any delimiter and any line end is found", arguments: [",", ";", "\t", "|"],
    ["\n", "\r\n", "\r"])
  func delimiters(delimiter: String, lineEnd: String) throws {
    let lines = ["id,name,price", "1,Tea,4.90", "2,\"Milk, fresh; cold|x\",1.10", "3,Jam,"]
    let document = lines.map { line in
      line.replacing(",", with: delimiter).replacing("Milk\(delimiter) fresh", with: "Milk, fresh")
    }.joined(separator: lineEnd)
    for yaml in [Self.yaml, Self.found] {
      for end in ["", lineEnd, lineEnd + lineEnd] {
        let reading = try YAMLReading(yaml, document + end)
        #expect(reading.isClean)
        #expect(reading.names == ["Tea", "Milk, fresh; cold|x", "Jam"])
        #expect(reading.all(.reward) == ["4.90", "1.10", nil])
      }
    }
  }

  @Test(
    "lines above the header are passed over",
    arguments: [
      "sep=,\r\n", "\"sep=,\"\n", "# Export, 2 products\n", "Products of a shop\n\n", "\n \n,,\n",
      "\u{FEFF}", "# Required | an id,# Required | the name,,\n",
    ])
  func linesAbove(start: String) throws {
    for yaml in [Self.yaml, Self.found] {
      let reading = try YAMLReading(yaml, start + "id,name,price\n1,Tea,4.90\n2,Milk,1.10\n")
      #expect(reading.isClean)
      #expect(reading.ids == ["1", "2"])
    }
  }

  @Test("a header that a # begins, and one in the middle of the rows, are headers")
  func otherHeaders() throws {
    let reading = try YAMLReading(
      Self.yaml, "#id,name,price\n1,Tea,4.90\n#id,name,price\n2,Milk,1.10\n")
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2"])
  }

  @Test("columns without a name and with the same name have names of their own")
  func columnNames() throws {
    let reading = try YAMLReading(
      """
      format: csv
      id: Item No
      fields: {name: Product Name, image: [image, image 2], description: column 5}
      """, " Item No ,\"Product\nName\",image,image,,\n1,Tea,,https://x.example/1.jpg,Nice\n")
    #expect(reading.isClean)
    #expect(
      reading.offers == [
        [
          .id: "1", .name: "Tea", .imageURL: "https://x.example/1.jpg", .description: "Nice",
        ]
      ])
  }

  @Test("a definition names the delimiter and the columns of a table without a header")
  func namedLayout() throws {
    let reading = try YAMLReading(
      """
      format: csv
      delimiter: "^"
      header: [id, name, price]
      id: id
      fields: {name: name, price: price}
      """, "1^Tea, green; loose^4.90\n2^Milk^1.10\n")
    #expect(reading.isClean)
    #expect(reading.names == ["Tea, green; loose", "Milk"])
    let yaml = "feeds:\n  x:\n    format: csv\n    delimiter: tab\n    header: [id, name]\n"
    let text = yaml + "    id: id\n    fields:\n      name: name\n"
    let definition = try #require(DefinitionFile.parse(text, name: "x.yaml").first)
    #expect(definition.delimiter == 0x09)
    #expect(DefinitionText.yaml(for: definition) == text)
  }

  @Test("a row with more cells than the header is skipped: its values may be in other columns")
  func longRow() throws {
    let reading = try Self.read("1,Tea,4.90,\n2,Milk, fresh,1.10,x\n3,Jam,3.20,,,,\n")
    #expect(reading.error == nil)
    #expect(reading.ids == ["1", "3"])
    #expect(reading.skips == ["2 (2): 5 cells, where the header has 4 (line 3)"])
  }

  @Test("a row with fewer cells is read, and reported")
  func shortRow() throws {
    let reading = try Self.read("1,Tea\n2,Milk,1.10,x\n7\n")
    #expect(reading.error == nil)
    #expect(reading.ids == ["1", "2"])
    #expect(reading.mends == ["1: line 2 has 2 of 4 cells"])
    #expect(reading.skips == ["3 (7): no name (line 4)"])
  }

  @Test("empty lines, and lines with delimiters only, are no records")
  func blankRows() throws {
    let reading = try Self.read("\n1,Tea,4.90,\n,,,\n\r\n  \n2,Milk,1.10,\n,,\n")
    #expect(reading.isClean)
    #expect(reading.itemCount == 2)
  }

  @Test("a quote without an end costs its line at most")
  func unclosedQuote() throws {
    let reading = try Self.read(
      """
      1,Tea,4.90,
      2,"Milk, fresh,1.10,
      3,"Jam, red",3.20,"two
      lines"
      4,"Bread,2.10,
      5,"19" screen",9.00,"a ""b"" c"
      6,Cake "x",1.00,"y"
      7,Last,1.00,"z
      8,End,1.00,

      """)
    #expect(reading.error == nil)
    #expect(
      reading.names == [
        "Tea", "Jam, red", "\"Bread", "19\" screen", "Cake \"x\"", "Last", "End",
      ])
    #expect(reading.skips == ["2 (2): a quote without an end (line 3)"])
    #expect(
      reading.mends == [
        "4: line 6 has a quote without an end, kept", "7: line 9 has a quote without an end, kept",
      ])
    #expect(reading.offers[1][.description] == "two\nlines")
    #expect(reading.offers[3][.description] == "a \"b\" c")
  }

  @Test("a quote without an end does not swallow a long document")
  func unclosedQuoteInLongDocument() throws {
    var document = "id,name,price,text\n1,\"Tea,4.90,\n"
    for number in 2...60_000 { document += "\(number),Milk of the day,1.10,Fresh milk\n" }
    let reading = try FeedReading(document, as: Self.definition(Self.yaml), pieceSizes: [40_000])
    #expect(reading.error == nil)
    #expect(reading.ids.count == 60_000)
    #expect(reading.mends == ["line 2 has a quote without an end, kept"])
  }

  private static func definition(_ yaml: String) throws -> FeedDefinition {
    let lines = yaml.split(separator: "\n").map { "    \($0)\n" }.joined()
    return try #require(DefinitionFile.parse("feeds:\n  x:\n" + lines, name: "x.yaml").first)
  }

  @Test(
    "a document that is cut off in a row or in a quoted text is refused",
    arguments: [
      "1,Tea,4.90,\n2,Mi", "1,Tea,4.90,\n2,Milk,1.1", "1,Tea,4.90,\n2,\"Milk",
      "1,Tea,4.90,\n2,Milk,1.10,\"and\nmore", "1,Tea,4.90,\n2,Milk,1.10,\"",
    ])
  func cutOff(rows: String) throws {
    let error = try #require(try Self.read(rows).error)
    #expect(error.code == .malformedFeed)
    #expect(error.message.hasPrefix("The document ends too early"))
    #expect(error.message.hasSuffix("at line 3."))
  }

  @Test("a row larger than 1 MiB is refused with its line")
  func largeRow() throws {
    let definition = try Self.definition(Self.yaml)
    let start = "id,name,price,text\n1,Tea,4.90,\n2,"
    let long = String(repeating: "x", count: (1 << 20) + 1)
    for sizes in [[], [100_000]] {
      let reading = try FeedReading(start + long + ",,\n", as: definition, pieceSizes: sizes)
      #expect(reading.error?.code == .limitExceeded)
      #expect(reading.error?.message == "A row is larger than 1 MiB, at line 3.")
      let fits = try FeedReading(
        start + long.dropLast(100) + ",,\n", as: definition, pieceSizes: sizes)
      #expect(fits.error == nil)
      #expect(fits.ids == ["1", "2"])
    }
  }

  @Test("spaces around cells are left out, and Excel's texts of numbers are texts")
  func cells() throws {
    let reading = try Self.read(
      " 1 , Tea ,\t4.90, \"a, b\" \n\"=\"\"0012\"\"\",=\"007\",1.10,a\u{0}b\n3,=A1,2,é\n")
    #expect(reading.ids == ["1", "0012", "3"])
    #expect(reading.names == ["Tea", "007", "=A1"])
    #expect(reading.all(.description) == ["a, b", "a\u{FFFD}b", "é"])
    #expect(reading.mends.count == 1)
  }

  @Test("Windows-1252, and UTF-16 with a mark and without, are read")
  func encodings() throws {
    let text = "id;name;price\n1;Grüner Tee;4,90 €\n2;Öl;3,20 €\n"
    let latin = text.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8(truncatingIfNeeded: $0.value) }
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for document in [latin, little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
      let reading = try YAMLReading(Self.found, document)
      #expect(reading.isClean)
      #expect(reading.names == ["Grüner Tee", "Öl"])
      #expect(reading.all(.reward) == ["4,90 €", "3,20 €"])
    }
  }

  @Test("a table with none of the columns is refused, even if it is empty")
  func otherColumns() throws {
    for document in ["sku,label\n1,Tea\n", "sku,label\n", "An error\n", "id2\tname2\n"] {
      let error = try #require(try YAMLReading(Self.yaml, document).error)
      #expect(error.code == .unexpectedShape)
      #expect(
        error.message.hasPrefix("None of the table's columns is one that the definition reads."))
    }
    #expect(try YAMLReading(Self.yaml, "id,name\n").error == nil)
  }

  @Test(
    "a declared table that is another document is refused as such",
    arguments: [
      ("", "The document is empty."), (" \n", "The document is empty."),
      (#"{"error":"no key"}"#, "The document is JSON, not a table."),
      ("<feed/>", "The document is XML, not a table."),
      ("<!DOCTYPE html><p>x", "The document is a web page, not a feed."),
      ("1,2,3\n4,5,6\n", "The document is not a table: no line of it has names of columns."),
    ])
  func otherDocuments(document: String, message: String) throws {
    let error = try #require(try YAMLReading(Self.yaml, document).error)
    #expect(error.code == .malformedFeed)
    #expect(error.message == message)
  }

  @Test(
    "a text that is no table is refused as one of no known format",
    arguments: [
      "Service unavailable, please try again later\n", "Hello\n", "Hello, you\nand, me\n",
      "We are sorry, but this page, as you see, is gone.\nTry again, later, or tomorrow, please.\n",
      "Dear customers, our new prices, sadly, are late\nWe are, as you know, closed\nCall us, please, soon\n",
      "Offers, deals and prices, every day.\nSave money, time, and work.\nBuy now, pay later, or never.\n",
      #"callback([{"id":1,"name":"Tea"},{"id":2,"name":"Milk"}])"#, "User-agent: *\nDisallow: /\n",
    ])
  func texts(document: String) throws {
    let error = try #require(try YAMLReading(Self.found, document).error)
    #expect(error.message == "The document is neither JSON, XML nor a table, at byte 0.")
  }

  @Test(
    "a table without names of columns is refused as such",
    arguments: [
      "1,Green tea,4.90,https://x.example/1\n2,Black tea,5.90,https://x.example/2\n",
      "1,Green tea,4.90\n2,Jam,5.90\n", "Tea;https://x.example/1\nJam;https://x.example/2",
      "HDR|38000|Leaf|2026-11-01/10:00:00\n1|Tea|S1||https://x.example/1|4.90\n2|Jam|S2||https://x.example/2|5.90\nTRL|2\n",
    ])
  func lacksNames(document: String) throws {
    let error = try #require(try YAMLReading(Self.found, document).error)
    #expect(error.code == .malformedFeed)
    #expect(error.message == "The document is a table without names of columns.")
    #expect(error.hint?.text.contains("header: [") == true)
    let guess = try #require(throws: OffersError.self) { try GuessReading(document) }
    #expect(guess.message == error.message)
  }

  @Test("the time for many quotes without an end grows with the size of the table only")
  func isLinear() throws {
    let rows = String(repeating: "\"\"x,1,2\n", count: 400_000)
    let reading = try YAMLReading(Self.yaml, "id,name,price\n" + rows)
    #expect(reading.offers.count == 400_000)
  }
}
