import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Proposed definitions for unknown documents")
struct DefinitionGuessTests {
  @Test("coupons with the shop in a nested object")
  func couponsWithNestedStore() throws {
    let guess = try GuessReading(
      """
      {"name":"Voucher hub","currency":"GBP","stores":[{"id":1,"name":"Boots"},{"id":2,"name":"T"}],
       "coupons":[
        {"coupon_id":"c-1","code":"SAVE10","title":"10% off","description":"At checkout.",
         "discount":"10%","valid_from":"2026-01-01","valid_until":"2026-02-01",
         "store":{"id":1,"name":"Boots","logo":"https://cdn.example/b.png"},
         "url":"https://c.example/1","verified":true,"tags":["beauty","health"]},
        {"coupon_id":"c-2","code":"SHIP","title":"Free delivery","description":"Over £20.",
         "discount":"Free delivery","valid_from":"2026-01-05","valid_until":"2026-03-01",
         "store":{"id":2,"name":"Tesco","logo":"https://cdn.example/t.png"},
         "url":"https://c.example/2","verified":false,"tags":[]}]}
      """)
    #expect(
      guess.yaml == """
        feeds:
          feed:
            title: {from: name}
            format: json
            items: coupons
            id: coupon_id
            currency: GBP
            fields:
              name: title
              description: description
              reward: discount
              image: store.logo
              link: url
              retailer: store.name
              categories: tags[*]
              starts: valid_from
              expires: valid_until
            attributes:
              Code: code

        """)
    #expect(guess.proposal.itemCount == 2)
    #expect(guess.proposal.notes == [])
    #expect(guess.all(.retailer) == ["Boots", "Tesco"])
    #expect(guess.all(.categories) == [#"["beauty","health"]"#, nil])
  }

  @Test("edges and nodes of GraphQL")
  func graphQL() throws {
    let guess = try GuessReading(
      """
      {"data":{"offers":{"pageInfo":{"hasNextPage":true},"edges":[
        {"cursor":"a","node":{"id":"T1==","headline":"Half price tea",
         "priceV2":{"amount":"2.50","currencyCode":"USD"},
         "featuredImage":{"url":"https://i.example/1.jpg"},
         "merchant":{"id":"m1","displayName":"Tea & Co"},"expiresAt":"2026-09-01T00:00:00Z"}},
        {"cursor":"b","node":{"id":"T2==","headline":"Coffee for two",
         "priceV2":{"amount":"4.00","currencyCode":"USD"},
         "featuredImage":{"url":"https://i.example/2.jpg"},
         "merchant":{"id":"m2","displayName":"Bean"},"expiresAt":"2026-09-02T00:00:00Z"}}]}}}
      """)
    #expect(guess.ids == ["T1==", "T2=="])
    #expect(guess.all(.name) == ["Half price tea", "Coffee for two"])
    #expect(guess.all(.reward) == ["2.50 USD", "4.00 USD"])
    #expect(guess.all(.imageURL) == ["https://i.example/1.jpg", "https://i.example/2.jpg"])
    #expect(guess.all(.retailer) == ["Tea & Co", "Bean"])
    #expect(guess.all(.expiresAt) == ["1788220800", "1788307200"])
    #expect(guess.labels == [])
  }

  @Test("XML with all values in attributes")
  func attributesOnly() throws {
    let guess = try GuessReading(
      """
      <?xml version="1.0"?><catalog name="Garden shop">
      <product sku="A-1" name="Rake" price="12.50" currency="EUR" img="https://g.example/1.jpg"
       href="https://g.example/rake" brand="Gardena"/>
      <product sku="A-2" name="Spade" price="19.00" currency="EUR" img="https://g.example/2.jpg"
       href="https://g.example/spade" brand="Fiskars"/></catalog>
      """)
    #expect(
      guess.yaml == """
        feeds:
          feed:
            title: {from: catalog.@name}
            format: xml
            items: catalog.product
            id: '@sku'
            fields:
              name: '@name'
              price: {from: '@price', currency: {from: '@currency'}}
              image: '@img'
              link: '@href'
              retailer: '@brand'
            attributes:
              SKU: '@sku'

        """)
    #expect(guess.all(.reward) == ["12.50 EUR", "19.00 EUR"])
  }

  @Test("German XML, with umlauts in names")
  func german() throws {
    let guess = try GuessReading(
      """
      <angebote titel="Angebote der Woche"><haendler>Frischmarkt</haendler>
      <angebot><angebotsnummer>77001</angebotsnummer><bezeichnung>Äpfel Elstar</bezeichnung>
       <beschreibung>1-kg-Beutel</beschreibung><preis waehrung="EUR">1,99</preis>
       <bild>https://m.example/aepfel.jpg</bild><warengruppe>Obst</warengruppe>
       <gültig_von>2026-03-02</gültig_von><gültig_bis>2026-03-07</gültig_bis>
       <bedingungen>Solange der Vorrat reicht.</bedingungen><altpreis>2,49</altpreis></angebot>
      <angebot><angebotsnummer>77002</angebotsnummer><bezeichnung>Gouda jung</bezeichnung>
       <beschreibung>48 % Fett</beschreibung><preis waehrung="EUR">0,79</preis>
       <bild>https://m.example/gouda.jpg</bild><warengruppe>Käse</warengruppe>
       <gültig_von>2026-03-02</gültig_von><gültig_bis>2026-03-07</gültig_bis>
       <bedingungen>Nur in Filialen.</bedingungen><altpreis>1,19</altpreis></angebot></angebote>
      """)
    #expect(guess.definition.items.map(\.descriptionFromRoot) == ["angebote.angebot"])
    #expect(guess.ids == ["77001", "77002"])
    #expect(guess.all(.name) == ["Äpfel Elstar", "Gouda jung"])
    #expect(guess.all(.description) == ["1-kg-Beutel", "48 % Fett"])
    #expect(guess.all(.terms) == ["Solange der Vorrat reicht.", "Nur in Filialen."])
    #expect(guess.all(.reward) == ["1,99 EUR", "0,79 EUR"])
    #expect(guess.all(.imageURL).allSatisfy { $0?.hasSuffix(".jpg") == true })
    #expect(guess.all(.categories) == [#"["Obst"]"#, #"["Käse"]"#])
    #expect(guess.all(.startsAt) == ["1772409600", "1772409600"])
    #expect(guess.all(.expiresAt) == ["1772927999", "1772927999"])
    #expect(guess.labels == ["Altpreis"])
    #expect(guess.yaml.contains("title: {from: angebote.@titel}"))
  }

  @Test(
    "field names in other languages",
    arguments: [
      #"{"offres":[{"identifiant":"x1","titre":"Vélo","prix":"199,00 €","lien":"https://v.example/1","photo":"https://v.example/1.jpg","magasin":"Vélo Plus","date_fin":"2026-06-01"}]}"#,
      #"{"ofertas":[{"id":"x1","titulo":"Bici","precio":"199,00 €","enlace":"https://v.example/1","imagen":"https://v.example/1.jpg","tienda":"Bici Más","fecha_fin":"2026-06-01"}]}"#,
      #"{"offerte":[{"id":"x1","titolo":"Bici","prezzo":"199,00 €","link":"https://v.example/1","immagine":"https://v.example/1.jpg","negozio":"Bici Più","scadenza":"2026-06-01"}]}"#,
    ])
  func languages(document: String) throws {
    let guess = try GuessReading(document)
    let offer = try #require(guess.offers.first)
    #expect(offer[.id] == "x1")
    #expect(offer[.name] == "Vélo" || offer[.name] == "Bici")
    #expect(offer[.reward] == "199,00 €")
    #expect(offer[.url] == "https://v.example/1")
    #expect(offer[.imageURL] == "https://v.example/1.jpg")
    #expect(offer[.retailer] != nil)
    #expect(offer[.expiresAt] == "1780358399")
    #expect(guess.labels == [])
  }

  @Test("an object of objects whose keys are ids")
  func keyedByID() throws {
    let guess = try GuessReading(
      """
      {"offer-101":{"name":"Pizza","price":"€9.99","ends":"2026-05-01"},
       "offer-102":{"name":"Pasta","price":"€7.99","ends":"2026-05-02"},
       "offer-103":{"name":"Soup","price":"€3.99","ends":"2026-05-03"}}
      """)
    #expect(guess.definition.items == [FieldPath(isFromDocument: true, [.all])])
    #expect(guess.ids == ["offer-101", "offer-102", "offer-103"])
    #expect(guess.all(.name) == ["Pizza", "Pasta", "Soup"])
    let below = try GuessReading(
      #"{"v":2,"deals":{"a":{"title":"A b","cost":"$1"},"b":{"title":"C d","cost":"$2"}}}"#)
    #expect(below.definition.items == [FieldPath(isFromDocument: true, [.key("deals"), .all])])
    #expect(below.ids == ["a", "b"])
  }

  @Test("lists under keys: a repeated id is qualified by the key of its list")
  func keyedLists() throws {
    let guess = try GuessReading(
      """
      {"1001":[{"angebotid":5,"titel":"Brot","preis":1.5},{"angebotid":6,"titel":"Milch","preis":1}],
       "1002":[{"angebotid":5,"titel":"Brot","preis":1.6},{"angebotid":7,"titel":"Käse","preis":2}]}
      """)
    #expect(guess.definition.items == [FieldPath(isFromDocument: true, [.all])])
    #expect(guess.ids == ["1001-5", "1001-6", "1002-5", "1002-7"])
    let unique = try GuessReading(
      """
      {"1001":[{"angebotid":5,"titel":"Brot"},{"angebotid":6,"titel":"Milch"}],
       "1002":[{"angebotid":8,"titel":"Brot"}]}
      """)
    #expect(unique.ids == ["5", "6", "8"])
  }

  @Test("a list of plain texts")
  func plainTexts() throws {
    let guess = try GuessReading(#"["Free coffee on Monday","Two pizzas","10% off shoes"]"#)
    #expect(guess.definition.id == .madeFrom([.itself]))
    #expect(guess.all(.name) == ["Free coffee on Monday", "Two pizzas", "10% off shoes"])
    #expect(Set(guess.ids).count == 3)
  }

  @Test("offers in several sections of a document")
  func sections() throws {
    let guess = try GuessReading(
      """
      {"sections":[{"name":"Food","offers":[{"guid":"f1","title":"Bread","amount":"$1"},
        {"guid":"f2","title":"Milk","amount":"$2"}]},
       {"name":"Drinks","offers":[{"guid":"d1","title":"Cola","amount":"$3"}]}]}
      """)
    #expect(guess.definition.items.map(\.descriptionFromRoot) == ["sections[*].offers"])
    #expect(guess.ids == ["f1", "f2", "d1"])
  }

  @Test("JSON lines with one object per line")
  func lines() throws {
    let guess = try GuessReading(
      """
      {"_id":{"$oid":"5a"},"name":"Calderon","code":"FLUMBO","vendor":"Dogtown","price":1193}
      {"_id":{"$oid":"5b"},"name":"Marietta","code":"MORE","vendor":"Pheast","price":2678}
      """)
    #expect(guess.definition.format == .ndjson)
    #expect(guess.ids == ["5a", "5b"])
    #expect(guess.all(.retailer) == ["Dogtown", "Pheast"])
    #expect(guess.labels == ["Code"])
    #expect(guess.proposal.notes.count == 1)
    #expect(guess.proposal.notes.first?.contains("currency") == true)
  }

  @Test("JSON:API resources, and a percentage as a bare number")
  func jsonAPI() throws {
    let guess = try GuessReading(
      """
      {"data":[{"type":"offers","id":"1","attributes":{"title":"A","percent_off":20},
        "links":{"self":"https://api.example/offers/1"}},
       {"type":"offers","id":"2","attributes":{"title":"B","percent_off":30},
        "links":{"self":"https://api.example/offers/2"}}]}
      """)
    #expect(guess.ids == ["1", "2"])
    #expect(guess.all(.name) == ["A", "B"])
    #expect(guess.all(.reward) == ["20 %", "30 %"])
    #expect(guess.all(.url) == ["https://api.example/offers/1", "https://api.example/offers/2"])
  }

  @Test("a proposed definition survives YAML, and chunk sizes make no difference")
  func roundTrips() throws {
    let document =
      #"{"rows":[{"title":"a \"b\"","x.y":"1","$z":"q"},{"title":"c","x.y":"2","$z":"r"}]}"#
    let whole = try GuessReading(document, name: "my-feed")
    #expect(whole.definition.name == "my-feed")
    #expect(try DefinitionFile.parse(whole.yaml, name: "x.yaml") == [whole.definition])
    for size in [1, 7, 64] {
      #expect(
        try GuessReading(document, name: "my-feed", pieceSize: size).definition
          == whole.definition)
    }
  }
}
