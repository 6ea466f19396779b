import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Fields that are proposed for an unknown document")
struct DefinitionGuessFieldTests {
  private static func guess(_ items: String...) throws -> GuessReading {
    try GuessReading("[\(items.joined(separator: ","))]")
  }

  @Test("a url member with images is the image, and another one is the link")
  func tellsImagesFromLinks() throws {
    let guess = try Self.guess(
      #"{"id":1,"name":"A","url":"https://e.example/a.png?w=1","page_url":"https://e.example/a"}"#,
      #"{"id":2,"name":"B","url":"https://e.example/b.webp","page_url":"https://e.example/b"}"#)
    #expect(
      guess.all(.imageURL) == ["https://e.example/a.png?w=1", "https://e.example/b.webp"])
    #expect(guess.all(.url) == ["https://e.example/a", "https://e.example/b"])
    #expect(guess.labels == [])
  }

  @Test("the largest of several images is chosen, and the first of a list")
  func choosesImages() throws {
    let sizes = try Self.guess(
      #"{"id":1,"name":"A","thumb":"https://e.example/t","pic_image_90":"https://e.example/90","pic_image_640":"https://e.example/640"}"#
    )
    #expect(sizes.all(.imageURL) == ["https://e.example/640"])
    let list = try Self.guess(
      #"{"id":1,"name":"A","images":[{"id":7,"src":"https://e.example/1"},{"id":8,"src":"https://e.example/2"}]}"#
    )
    #expect(list.all(.imageURL) == ["https://e.example/1"])
    let plain = try Self.guess(
      #"{"id":1,"name":"A","photos":["https://e.example/1","https://e.example/2"]}"#)
    #expect(plain.all(.imageURL) == ["https://e.example/1"])
  }

  @Test("items that lack the best member use the next best one")
  func fillsGaps() throws {
    let guess = try Self.guess(
      #"{"id":1,"title":"A","sale_price":"$1","price":"$2"}"#, #"{"id":2,"name":"B","price":"$3"}"#,
      #"{"id":3,"description":"Only <b>words</b> here","price":"$4"}"#)
    #expect(guess.all(.name) == ["A", "B", "Only words here"])
    #expect(guess.all(.reward) == ["$1", "$3", "$4"])
  }

  @Test("HTML is read as HTML, even in a name, and plain text is not")
  func findsMarkup() throws {
    let guess = try Self.guess(
      #"{"id":1,"title":{"rendered":"Fish &amp; chips"},"body":"<p>Ten % off</p>","terms":"a < b"}"#,
      #"{"id":2,"title":{"rendered":"Soup"},"body":"<p>Bread</p>","terms":"b > c"}"#)
    #expect(guess.all(.name) == ["Fish & chips", "Soup"])
    #expect(guess.all(.description) == ["Ten % off", "Bread"])
    #expect(guess.all(.terms) == ["a < b", "b > c"])
  }

  @Test("the currency comes from a member near the amount, from its name, or is unknown")
  func findsCurrencies() throws {
    let nested = try Self.guess(#"{"id":1,"name":"A","price":{"value":5,"currency":"CHF"}}"#)
    #expect(nested.all(.reward) == ["5 CHF"])
    let beside = try Self.guess(#"{"id":1,"name":"A","amount":5,"currency_code":"SEK"}"#)
    #expect(beside.all(.reward) == ["5 SEK"])
    let named = try Self.guess(#"{"id":1,"name":"A","price_usd":5}"#)
    #expect(named.all(.reward) == ["5 USD"])
    let bare = try Self.guess(#"{"id":1,"name":"A","price":5}"#)
    #expect(bare.all(.reward) == ["5"])
    #expect(bare.proposal.notes.count == 1)
    let wrong = try Self.guess(#"{"id":1,"name":"A","price":5,"currency":"coins"}"#)
    #expect(wrong.all(.reward) == ["5"])
  }

  @Test(
    "coordinates are found, including GeoJSON, and members with such names but other values are not"
  )
  func findsPlaces() throws {
    let nested = try Self.guess(#"{"id":1,"name":"A","geo":{"lat":"52.5","lng":"13.4"}}"#)
    #expect(nested.all(.latitude) == ["52.5"])
    #expect(nested.all(.longitude) == ["13.4"])
    let point = try GuessReading(
      #"{"features":[{"properties":{"name":"A"},"geometry":{"coordinates":[13.4,52.5]}}]}"#)
    #expect(point.all(.latitude) == ["52.5"])
    #expect(point.all(.longitude) == ["13.4"])
    let other = try Self.guess(#"{"id":1,"name":"A","lat":"latin","long":"a long story"}"#)
    #expect(other.all(.latitude) == [nil])
    #expect(other.all(.longitude) == [nil])
  }

  @Test(
    "dates are found by name and value",
    arguments: [
      (#""startDate":"2026-01-01","endDate":"2026-01-02""#, true, true),
      (#""valid":{"from":"2026-01-01","until":"2026-01-02"}"#, true, true),
      (#""price_valid_until":1767312000"#, false, true),
      (#""start":"soon","end":"never""#, false, false),
      (#""published":"2026-01-01""#, false, false),
    ])
  func findsDates(members: String, hasStart: Bool, hasEnd: Bool) throws {
    let offer = try #require(try Self.guess(#"{"id":1,"name":"A",\#(members)}"#).offers.first)
    #expect((offer[.startsAt] != nil) == hasStart)
    #expect((offer[.expiresAt] != nil) == hasEnd)
  }

  @Test("an id of another object is not the id, nor is one that some items lack")
  func choosesIDs() throws {
    let foreign = try Self.guess(
      #"{"store_id":1,"offer_id":"o1","name":"A"}"#, #"{"store_id":2,"offer_id":"o2","name":"B"}"#)
    #expect(foreign.ids == ["o1", "o2"])
    let partial = try Self.guess(
      #"{"id":1,"sku":"s1","name":"A"}"#, #"{"sku":"s2","name":"B"}"#, #"{"sku":"s3","name":"C"}"#)
    #expect(partial.ids == ["s1", "s2", "s3"])
    let none = try Self.guess(
      #"{"name":"A","shop":"X","paid":1}"#, #"{"name":"A","shop":"Y","paid":2}"#)
    #expect(
      none.definition.id == .madeFrom([FieldPath(keys: ["name"]), FieldPath(keys: ["shop"])]))
    #expect(Set(none.ids).count == 2)
    let link = try Self.guess(
      #"{"name":"A","link":"https://e.example/1"}"#, #"{"name":"A","link":"https://e.example/2"}"#)
    #expect(link.ids == ["https://e.example/1", "https://e.example/2"])
  }

  @Test("items with the same identity are counted")
  func tellsRepeats() throws {
    let guess = try Self.guess(#"{"name":"A"}"#, #"{"name":"A"}"#, #"{"name":"B"}"#)
    #expect(guess.proposal.itemCount == 3)
    #expect(guess.proposal.notes == ["1 of 3 items repeats the id of another item."])
  }

  @Test("without a named one, a member that looks like a name is proposed with a note")
  func findsNames() throws {
    let guess = try Self.guess(
      #"{"company":"Acme","promotext":"Buy one, get one"}"#,
      #"{"company":"Acme","promotext":"Free gift"}"#)
    #expect(guess.all(.name) == ["Buy one, get one", "Free gift"])
    #expect(guess.proposal.notes.contains { $0.contains("“promotext”") })
  }

  @Test(
    "other members become attributes with labels, dates are read, and meaningless ones are omitted")
  func makesAttributes() throws {
    let items = (1...6).map { index in
      """
      {"id":\(index),"name":"N\(index)","vote_average":\(index).5,"artistName":"X\(index)",
       "releaseDate":"2026-01-0\(index)","kind":"album","artistId":"90\(index)","isNew":true,
       "banner2":"https://e.example/\(index).png","contact":{"phone":"555000\(index)",
       "formattedPhone":"555-000\(index)"},"token":"\(String(repeating: "x\(index)", count: 40))",
       "rare":\(index == 1 ? "1" : "null"),"numbers":[1,2]}
      """
    }
    let guess = try GuessReading("[\(items.joined(separator: ","))]")
    #expect(guess.labels == ["Vote average", "Artist name", "Release date", "Formatted phone"])
    #expect(guess.definition.attributes[2].rule.alternatives.first?.reading == .date)
  }

  @Test("at most twelve attributes are proposed, each with a label of its own")
  func boundsAttributes() throws {
    let many = (1...30).map { #""extra_\#(["a", "b", "c"][$0 % 3])\#($0)":"v\#($0)""# }
    let guess = try Self.guess(#"{"id":1,"name":"A",\#(many.joined(separator: ","))}"#)
    #expect(guess.labels.count == 12)
    let equal = try Self.guess(
      #"{"id":1,"name":"A","a":{"rank":"first","size":"L"},"b":{"rank":"second","size":"M"}}"#)
    #expect(equal.labels == ["Rank", "Size", "B rank", "B size"])
  }

  @Test("Booleans and lists are never proposed as texts")
  func leavesOutOtherKinds() throws {
    let document =
      #"[{"id":1,"name":"A","active":true,"price":{"a":[1]},"url":false,"image":null,"brand":["x","y"]}]"#
    let reading = try FeedReading(document, as: try GuessReading(document).definition)
    #expect(reading.mends == [])
    #expect(reading.offers.count == 1)
  }

  @Test(
    "keys become labels",
    arguments: [
      ("vote_average", "Vote average"), ("artistName", "Artist name"), ("SKU", "SKU"),
      ("@href", "Href"), ("g:brand", "Brand"), ("imageURL", "Image URL"), ("URLPath", "URL path"),
      ("gültig-bis", "Gültig bis"), ("size2", "Size2"), ("product ID", "Product ID"), ("__", ""),
    ])
  func labels(key: String, label: String) {
    #expect(KeyWords.label(for: key) == label)
  }

  @Test(
    "keys are split into words",
    arguments: [
      ("backgroundImageURL", "background image url", nil), ("gültig_bis", "gueltig bis", nil),
      ("bild_web130", "bild web", 130), ("$oid", "oid", nil), ("im:price", "price", nil),
      ("XMLHttpID", "xml http id", nil), ("", "", nil),
    ] as [(String, String, Int?)])
  func words(key: String, words: String, number: Int?) {
    #expect(KeyWords(key).words.joined(separator: " ") == words)
    #expect(KeyWords(key).number == number)
  }
}
