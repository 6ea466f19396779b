import OffersCore
import Testing

@Suite("The fields of an offer")
struct EveryFieldTests {
  private static let yaml = """
    title: Everything
    items: offers
    currency: USD
    id: id
    fields:
      name: title
      description: {from: about, as: html}
      terms: fine print
      reward: pay.now
      image: media.image
      link: page
      retailer: shop.name
      categories: "tags[*]"
      starts: from
      expires: until
      latitude: place.lat
      longitude: place.lng
    attributes:
      Zebra: z
      Phone: [contact.formatted, contact.phone]
      "Cross: street": "at corner"
      Twitter: "@{contact.twitter}"
      Kind: {text: Coupon}
      Since: {from: since, as: date}
      Lines: {from: "lines[*]", join: " / "}
      Note: {from: note, as: html, limit: 12}
      Site: {from: site, as: link}
    """

  private static let full = """
    {"title":"Full","id":7,"about":"<p>One</p><p>Two &amp; three</p>","fine print":"Once.\\nOnly.",
     "pay":{"now":"$0.75 Cash Back"},"media":{"image":"/i/7.png"},"page":"../o/7","z":1.50,
     "shop":{"name":"Corner \\"Shop\\""},"tags":["Food","Drink \\\\ Bar",7],"from":"2026-08-01",
     "until":"2026-08-31","place":{"lat":-36.8485,"lng":"174.7633"},
     "since":"Fri, 21 Aug 2026 01:00:00 GMT",
     "contact":{"phone":"5550100","formatted":"(555) 555-0100","twitter":"corner"},
     "at corner":"5th","lines":["1 Main St","Madison, WI"],
     "note":"<b>Ring</b> the bell","site":"/s"}
    """

  @Test("every field and attribute is read, with attributes in the definition's order")
  func everyField() throws {
    let reading = try YAMLReading(
      Self.yaml, "{\"offers\":[\(Self.full)]}", address: "https://x.example/feeds/all.json")
    #expect(reading.isClean)
    var offer = try #require(reading.offers.first)
    offer[.attributes] = nil
    offer[.categories] = nil
    #expect(
      offer == [
        .id: "7", .name: "Full", .description: "One\n\nTwo & three", .terms: "Once.\nOnly.",
        .reward: "$0.75 Cash Back", .imageURL: "https://x.example/i/7.png",
        .url: "https://x.example/o/7", .retailer: "Corner \"Shop\"", .startsAt: "1785542400",
        .expiresAt: "1788220799", .latitude: "-36.8485", .longitude: "174.7633",
      ])
    #expect(reading.categories == [["Food", "Drink \\ Bar", "7"]])
    #expect(
      reading.attributes == [
        [
          "Zebra: 1.50", "Phone: (555) 555-0100", "Cross: street: 5th", "Twitter: @corner",
          "Kind: Coupon", "Since: 2026-08-21T01:00:00Z", "Lines: 1 Main St / Madison, WI",
          "Note: Ring the…", "Site: https://x.example/s",
        ]
      ])
    #expect(reading.facts.title == "Everything")
  }

  @Test("missing values are absent, and constants remain")
  func sparse() throws {
    let reading = try YAMLReading(
      Self.yaml,
      """
      {"offers":[{"id":1,"title":"A"},\(Self.full),{"id":2,"title":"B","tags":[],"contact":{},
        "lines":[],"place":null,"shop":{"name":null},"note":"","about":"<p></p>","z":" "}]}
      """)
    #expect(reading.isClean)
    let kind = #"[["Kind","Coupon"]]"#
    #expect(reading.offers[0] == [.id: "1", .name: "A", .attributes: kind])
    #expect(reading.offers[2] == [.id: "2", .name: "B", .attributes: kind])
  }

  @Test("values of the wrong type are left out with one note per field")
  func wrongKinds() throws {
    let reading = try YAMLReading(
      Self.yaml,
      """
      {"offers":[{"id":1,"title":"A","about":{"x":1},"fine print":["x"],"pay":{"now":true},
        "media":{"image":["a"]},"page":{},"shop":{"name":["x"]},"from":["x"],"until":"soon",
        "place":{"lat":91,"lng":"east"},"z":{},"at corner":["x"],"since":"long ago",
        "contact":{"phone":{},"formatted":["x"],"twitter":["t"]},"tags":{"a":{}}}]}
      """)
    #expect(reading.offers.count == 1)
    #expect(reading.attributes == [["Kind: Coupon", "Since: long ago"]])
    let reasons = try #require(reading.mends.first).split(separator: "; ").map(String.init)
    #expect(
      reasons == [
        "1: description is an object, left out", "terms is a list, left out",
        "reward is true or false, left out", "image_url is a list, left out",
        "url is an object, left out", "retailer is a list, left out",
        "categories is an object, left out", "starts_at is a list, left out",
        "expires_at is not a recognized date: “soon”, left out",
        "latitude is “91”, not in degrees, left out",
        "longitude is “east”, not in degrees, left out", "Zebra is an object, left out",
        "Phone is an object, left out", "Cross: street is a list, left out",
        "Twitter is a list, left out",
      ])
  }

  @Test(
    "all elements of a list of categories are read, with or without a `*`",
    arguments: [
      "tags", "\"tags[*]\"", "{from: tags}", "[none, tags]", "[\"none[*]\", \"tags[*]\"]",
    ])
  func categoryLists(path: String) throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: name, categories: \(path)}",
      """
      [{"id":1,"name":"A","tags":["x","y \\u00e9"]},{"id":2,"name":"B","tags":"z, w"},
       {"id":3,"name":"C","tags":[]},{"id":4,"name":"D"},{"id":5,"name":"E","tags":["","q",null]},
       {"id":6,"name":"F","tags":[["in","side"],"out"]}]
      """)
    #expect(reading.error == nil)
    #expect(
      reading.categories == [["x", "y é"], ["z, w"], [], [], ["q"], ["in", "side", "out"]])
    #expect(reading.offers[2][.categories] == nil)
  }

  @Test("categories of the wrong type are reported, unless an alternative replaces them")
  func wrongCategories() throws {
    let yaml = "id: id\nfields: {name: name, categories: [tags, kind]}"
    let reading = try YAMLReading(
      yaml,
      """
      [{"id":1,"name":"A","tags":true},{"id":2,"name":"B","tags":{"a":1},"kind":"k"},
       {"id":3,"name":"C","tags":{"a":1}}]
      """)
    #expect(reading.categories == [[], ["k"], []])
    #expect(
      reading.mends == [
        "1: categories is true or false, left out", "3: categories is an object, left out",
      ])
  }

  @Test("coordinates outside the globe's degrees are left out")
  func coordinates() throws {
    let yaml = "id: id\nfields: {name: name, latitude: p.a, longitude: p.o}"
    func read(_ a: String, _ o: String) throws -> [String?] {
      let reading = try YAMLReading(
        yaml, "[{\"id\":1,\"name\":\"A\",\"p\":{\"a\":\(a),\"o\":\(o)}}]")
      return [reading.all(.latitude)[0], reading.all(.longitude)[0]]
    }
    #expect(try read("90", "-180") == ["90", "-180"])
    #expect(try read("\"43.07\"", "1e1") == ["43.07", "1e1"])
    #expect(try read("90.01", "180.5") == [nil, nil])
    #expect(try read("\"43° N\"", "\"nan\"") == [nil, nil])
    #expect(try read("null", "\"\"") == [nil, nil])
  }
}
