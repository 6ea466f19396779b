import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Field names of well-known shops and services")
struct FieldVocabularyTests {
  private static func first(_ members: String, _ field: OfferField) throws -> String? {
    try GuessReading(#"[{"id":1,\#(members)}]"#).all(field)[0]
  }

  @Test(
    "the description is found by any of its names",
    arguments: ["descriptionHtml", "selftext", "body", "description_html", "bodyHtml"])
  func descriptions(key: String) throws {
    #expect(
      try Self.first(#""name":"A","\#(key)":"<p>Long words</p>""#, .description) == "Long words")
  }

  @Test(
    "the first and last day are found by short names",
    arguments: [
      ("from", "to"), ("from", "till"), ("valid_from", "valid_until"), ("since", "until"),
      ("active_from", "active_to"), ("fromDate", "tillDate"), ("startTs", "endTs"), ("dal", "al"),
    ])
  func days(first: String, last: String) throws {
    let members = #""name":"A","\#(first)":"2026-12-01","\#(last)":"9999-12-31""#
    let guess = try GuessReading(
      #"[{"id":1,"name":"B","\#(first)":"2026-12-01","\#(last)":"2026-12-24"},{"id":2,\#(members)}]"#
    )
    #expect(guess.all(.startsAt) == ["1796083200", "1796083200"])
    #expect(guess.all(.expiresAt) == ["1798156799", nil])
  }

  @Test(
    "an amount is a percentage where the member beside it says so",
    arguments: [
      (#""discount":10,"discount_type":"percent""#, #""discount":5,"discount_type":"fixed_cart""#),
      (#""amount":10,"isPercentage":true"#, #""amount":5,"isPercentage":false"#),
      (#""discount":10,"is_percent":"1""#, #""discount":5,"is_percent":"0""#),
      (#""amount":10,"amountType":"PERCENT""#, #""amount":5,"amountType":"CURRENCY""#),
      (#""discount":10,"discount_type":"P""#, #""discount":5,"discount_type":"F""#),
      (#""discount":{"value":10,"unit":"%"}"#, #""discount":{"value":5,"unit":"EUR"}"#),
      (
        #""discountValue":"10","discountType":"PERCENTAGE""#,
        #""discountValue":"5","discountType":"AMOUNT""#
      ),
      (#""reward_value":"10","reward_unit":"PERCENT""#, #""reward_value":"5","reward_unit":"EUR""#),
      (#""reward_amount":10,"reward_type":"percent""#, #""reward_amount":5,"reward_type":"cash""#),
      (#""discount":"10","rabattart":"prozent""#, #""discount":"5","rabattart":"betrag""#),
      (#""value":"-10","value_type":"percentage""#, #""value":"-5","value_type":"fixed_amount""#),
      (#""amount":10,"amount_type":"percent""#, #""amount":500,"amount_type":"cents""#),
    ])
  func percentages(percent: String, money: String) throws {
    let guess = try GuessReading(
      #"[{"id":1,"name":"A","currency":"EUR",\#(percent)},{"id":2,"name":"B","currency":"EUR",\#(money)}]"#
    )
    #expect(guess.all(.reward).first == "10 %")
    #expect(RewardReading.parse(guess.all(.reward)[1] ?? "") == "500 EUR")
  }

  @Test(
    "the unit of a value is its currency, and no measure is",
    arguments: [("EUR", "10 EUR"), ("€", "10 €"), ("usd", "10 USD"), ("cup", "10"), ("kg", "10")])
  func units(unit: String, reward: String) throws {
    let guess = try GuessReading(
      #"[{"id":1,"name":"A","value":10,"unit":"\#(unit)"},{"id":2,"name":"B","value":10,"unit":"\#(unit)"}]"#
    )
    #expect(guess.all(.reward) == [reward, reward])
  }

  @Test("a rate of a reward is a percentage")
  func rates() throws {
    #expect(try Self.first(#""name":"A","cashback_rate":5.5"#, .reward) == "5.5 %")
    #expect(try Self.first(#""name":"A","discount":10,"tax_rate":19"#, .reward) == "10")
  }

  @Test("the amounts of a coupon with a code in small letters are minor units")
  func coupons() throws {
    let guess = try GuessReading(
      #"[{"id":1,"name":"A","amount_off":500,"percent_off":null,"currency":"usd"},"#
        + #"{"id":2,"name":"B","amount_off":null,"percent_off":25,"currency":"usd"}]"#)
    #expect(guess.all(.reward) == ["5.00 USD", "25 %"])
  }

  @Test(
    "texts before and behind a price are part of it",
    arguments: [
      ("pre_price_text", "current_price", "post_price_text"),
      ("price_prefix", "price", "price_suffix"), ("pricePrefix", "salePrice", "price_text"),
    ])
  func affixes(before: String, price: String, behind: String) throws {
    let items = [(#""2/""#, "5.00", "null"), ("null", "3.99", #""/lb""#), (#""""#, "4.99", #""""#)]
      .enumerated().map { number, item in
        #"{"id":\#(number),"name":"N\#(number)","\#(before)":\#(item.0),"\#(price)":\#(item.1),"\#(behind)":\#(item.2)}"#
      }
    let guess = try GuessReading(
      #"{"items":[\#(items.joined(separator: ",")),{"id":9,"name":"N9","\#(price)":null}]}"#)
    #expect(guess.all(.reward) == ["2/5.00", "3.99/lb", "4.99", nil])
    #expect(guess.definition.presentation.valueRole == .price)
    #expect(guess.labels.isEmpty && guess.definition.fields[.url] == nil)
  }

  @Test("words are set apart from the price, and a whole price as a text takes precedence")
  func priceTexts() throws {
    #expect(
      try Self.first(#""name":"A","price":3.99,"price_suffix":"each""#, .reward) == "3.99 each")
    #expect(
      try Self.first(#""name":"A","price":5.00,"price_text":"2 for $5""#, .reward) == "2 for $5")
  }

  @Test("a text after a slash is a link only if it looks or is called like one")
  func slashes() throws {
    func reading(_ key: String, _ text: String) throws -> Reading? {
      let guess = try GuessReading(
        #"[{"id":1,"name":"A","\#(key)":"\#(text)"},{"id":2,"name":"B","\#(key)":"\#(text)1"}]"#)
      return guess.definition.attributes.first?.rule.alternatives.first?.reading
    }
    #expect(try reading("measure", "/lb") == .text)
    #expect(try reading("measure", "/a/b") == .link && reading("measure", "/a.html") == .link)
    #expect(try Self.first(#""name":"A","link":"/tea""#, .url) == "/tea")
  }

  @Test(
    "values for no date count for a member that is called an end",
    arguments: [
      ["2027-01-31", "ongoing", "2027-02-28"], ["2027-01-31", "N/A"], ["2027-01-31", "0", "-1"],
      ["31/01/2027", "Never", "No expiration"], ["2027-01-31", "0000-00-00", "0", "null"],
      ["2027-01-31", "see store", "soon"],
    ])
  func endsOfSome(values: [String]) throws {
    let items = values.enumerated().map { #"{"id":\#($0),"name":"N\#($0)","expires":"\#($1)"}"# }
    let guess = try GuessReading("[\(items.joined(separator: ","))]")
    #expect(guess.all(.expiresAt)[0] == "1801439999")
    #expect(guess.all(.expiresAt).compactMap(\.self).count == (values.last == "2027-02-28" ? 2 : 1))
  }

  @Test("a member without a date is none, whatever its name")
  func noDates() throws {
    for text in ["Berlin", "N/A"] {
      let guess = try GuessReading(
        #"[{"id":1,"name":"A","to":"\#(text)"},{"id":2,"name":"B","to":"\#(text)"}]"#)
      #expect(guess.definition.fields[.expiresAt] == nil)
    }
  }

  @Test("the end of a validity period is that of the offer, and the end of a sale is not")
  func ends() throws {
    #expect(try Self.first(#""name":"A","valid_until":"24.12.2026""#, .expiresAt) != nil)
    #expect(
      try Self.first(#""name":"A","date_on_sale_to":"2026-12-24T00:00:00""#, .expiresAt) == nil)
    #expect(try Self.first(#""name":"A","date_on_sale_from":"2026-12-24""#, .startsAt) == nil)
  }

  @Test(
    "a sale price counts within the dates beside it, otherwise the regular price does",
    arguments: [
      ("sale_price", "date_on_sale_from", "date_on_sale_to", "regular_price"),
      ("special_price", "special_from_date", "special_to_date", "price"),
      ("salePrice", "saleStartDate", "saleEndDate", "listPrice"),
      ("promo_price", "promo_start", "promo_end", "retail_price"),
    ])
  func sales(price: String, from: String, until: String, regular: String) throws {
    let items = [("2020-01-01", "2020-01-31"), ("2020-01-01", "2090-01-31"), ("2090-01-01", "")]
      .enumerated().map { number, dates in
        #"{"id":\#(number),"name":"N\#(number)","\#(price)":"20.00","\#(regular)":"30.00","#
          + #""\#(from)":"\#(dates.0)","\#(until)":"\#(dates.1)"}"#
      }
    let guess = try GuessReading("[\(items.joined(separator: ","))]")
    #expect(guess.all(.reward) == ["30.00", "20.00", "30.00"])
    #expect(guess.all(.expiresAt) == [nil, nil, nil])
    #expect(guess.definition.presentation.valueRole == .price)
  }

  @Test("outside the dates of a sale the regular price counts, not the current one")
  func regularPrices() throws {
    let sale = #""price":"20","sale_price":"20","date_on_sale_to":"2020-02-01""#
    let guess = try GuessReading(
      #"[{"id":1,"name":"A","regular_price":"30",\#(sale)},"#
        + #"{"id":2,"name":"B","regular_price":"25","price":"25","sale_price":""}]"#)
    #expect(guess.all(.reward) == ["30", "25"])
  }

  @Test(
    "prices of common exports are found by their names",
    arguments: [
      "price_incl_tax", "priceInclVat", "price_with_tax", "prix_ttc", "PrixTTC", "precio_con_iva",
      "preis_brutto", "bruttopreis", "Verkaufspreis", "selling_price", "search_price", "our_price",
      "product_price_incl_tax", "pvp", "cena", "cena_brutto", "pris", "prijs", "preço", "hinta",
      "fiyat", "цена", "価格", "价格", "list_price", "base_price", "net_price", "price_excl_tax",
    ])
  func priceNames(key: String) throws {
    let guess = try GuessReading(
      #"[{"id":1,"name":"A","\#(key)":"12.50"},{"id":2,"name":"B","\#(key)":"13"}]"#)
    #expect(guess.all(.reward) == ["12.50", "13"])
    #expect(guess.definition.presentation.valueRole == .price)
  }

  @Test(
    "a field's name is found among words that say no more about the value",
    arguments: [
      ("Variant Price", OfferField.reward), ("Prix de vente TTC", .reward), ("Brutto", .reward),
      ("Now", .reward), ("Jetzt", .reward), ("Produktpreis", .reward), ("Cena online", .reward),
    ])
  func qualifiedPrices(key: String, field: OfferField) throws {
    #expect(try Self.first(#""name":"A","\#(key)":"12.50""#, field) == "12.50")
  }

  @Test(
    "descriptions, shops and categories have words around their names",
    arguments: [
      ("Description courte", OfferField.description), ("Produktbeschreibung", .description),
      ("Beschreibung des Artikels", .description), ("Omschrijving", .description),
      ("Herstellername / Markenname", .retailer), ("Nom du magasin", .retailer),
      ("Merk", .retailer), ("Varumärke", .retailer), ("Conditions d'utilisation", .terms),
    ])
  func qualifiedTexts(key: String, field: OfferField) throws {
    #expect(try Self.first(#""name":"A","\#(key)":"Some words""#, field) == "Some words")
  }

  @Test(
    "names, links, days and categories are found in further languages",
    arguments: [
      ("Nazwa", "Länk", "Geldig tot", "Kategoria"),
      ("Productnaam", "URL du produit", "Date de fin", "Catégorie par défaut"),
      ("Название", "Ссылка", "Fin de validité", "Категория"),
      ("Nome prodotto", "Lien vers la page du produit", "Einddatum", "category_path"),
    ])
  func languages(name: String, link: String, end: String, category: String) throws {
    let item =
      #"{"id":1,"\#(name)":"A b","\#(link)":"https://e.example/1","\#(end)":"2026-12-24","\#(category)":"C"}"#
    let guess = try GuessReading("[\(item)]")
    #expect(guess.all(.name) == ["A b"])
    #expect(guess.proposal.points == [])
    #expect(guess.all(.url) == ["https://e.example/1"])
    #expect(guess.all(.expiresAt) == ["1798156799"])
    #expect(guess.all(.categories) == [#"["C"]"#])
  }

  @Test(
    "a column of codes is the id, rather than a link",
    arguments: [
      "Unique Merchant SKU", "Artikelnummer im Shop", "Référence", "Código", "Codice", "Indeks",
      "Артикул", "Variant SKU", "Gutschein-ID",
    ])
  func codes(key: String) throws {
    let guess = try GuessReading(
      #"[{"\#(key)":"S1","name":"A","link":"https://go.example/1"},{"\#(key)":"S2","name":"B","link":"https://go.example/2"}]"#
    )
    #expect(guess.ids == ["S1", "S2"])
  }

  @Test(
    "the currency is found in further languages",
    arguments: ["Waluta", "Moeda", "Валюта", "Valuta"])
  func currencyNames(key: String) throws {
    #expect(try Self.first(#""name":"A","price":"5","\#(key)":"PLN""#, .reward) == "5 PLN")
  }

  @Test(
    "other words around a field's name make it another value's",
    arguments: [
      "Shipping price", "Prix barré", "Versandkosten", "Prix de livraison", "Oude prijs",
      "Price per kg", "Variant Compare At Price", "price_b2b", "Preis pro Einheit",
    ])
  func otherPrices(key: String) throws {
    #expect(try Self.first(#""name":"A","\#(key)":"12.50""#, .reward) == nil)
  }

  @Test("an exact name takes precedence over one among other words")
  func exactNames() throws {
    #expect(try Self.first(#""name":"A","Variant Price":"1","currentPrice":"2""#, .reward) == "2")
    #expect(
      try Self.first(
        #""name":"A","Description courte":"Short words","teaser":"A teaser""#, .description)
        == "A teaser")
    #expect(try Self.first(#""Produktname":"A","Display Name of Product":"B""#, .name) == "A")
  }

  @Test("the price with the tax, which people pay, takes precedence")
  func taxes() throws {
    for item in [
      #""price":"10.00","price_incl_tax":"12.00""#,
      #""price_excl_tax":"10.00","price_incl_tax":"12.00""#,
      #""prix_ht":"10.00","prix_ttc":"12.00""#, #""nettopreis":"10.00","bruttopreis":"12.00""#,
    ] {
      #expect(try Self.first(#""name":"A",\#(item)"#, .reward) == "12.00")
    }
  }

  @Test("a price that is not shown, or has an unknown name, is mentioned")
  func leftOut() throws {
    let many = (1...14).map { #""a\#($0)":"word \#($0)""# }.joined(separator: ",")
    let guess = try GuessReading(
      #"[{"id":1,"name":"A",\#(many),"price":"1.00","price_b2b":"0.50"},{"id":2,"name":"B",\#(many),"price":"2.00","price_b2b":"1.50"}]"#
    )
    #expect(guess.proposal.notes.contains { $0.contains("“price_b2b”") })
    let odd = try GuessReading(
      #"[{"id":1,"name":"A","zork":"1 299,00 Kč"},{"id":2,"name":"B","zork":"99 Kč"}]"#)
    #expect(odd.proposal.notes.contains { $0.contains("“zork”") })
  }

  @Test(
    "prices and discounts are found",
    arguments: [
      (#""UnitPrice":2.5,"currency":"USD""#, "2.5 USD"),
      (#""amount_off":3,"currency":"usd""#, "3 USD"),
      (
        #""pricing":{"list":{"value":9,"currency":"EUR"},"sale":{"value":7,"currency":"EUR"}}"#,
        "7 EUR"
      ),
      (#""prices":{"regular":{"amount":"9"},"special":{"amount":"7"}},"currency":"EUR""#, "7 EUR"),
      (#""pricing":{"list":{"value":9,"currency":"EUR"},"sale":null}"#, "9 EUR"),
    ])
  func prices(members: String, reward: String) throws {
    #expect(try Self.first(#""name":"A",\#(members)"#, .reward) == reward)
  }

  @Test("the address of a web page takes precedence over that of an API")
  func links() throws {
    let item = #""name":"A","itemHref":"https://api.example/1","itemWebUrl":"https://e.example/1""#
    #expect(try Self.first(item, .url) == "https://e.example/1")
    let release = #""name":"A","url":"https://api.example/1","html_url":"https://e.example/1""#
    #expect(try Self.first(release, .url) == "https://e.example/1")
  }

  @Test("the large image of a preview takes precedence over the thumbnail")
  func previews() throws {
    let item =
      #""name":"A","thumbnail":"https://e.example/t.jpg","#
      + #""preview":{"images":[{"source":{"url":"https://e.example/l.jpg?a=1&amp;b=2"}}]}"#
    #expect(try Self.first(item, .imageURL) == "https://e.example/l.jpg?a=1&b=2")
  }

  @Test("images are found even if some items have a placeholder word")
  func listings() throws {
    let guess = try GuessReading(
      """
      {"data":{"children":[
      {"kind":"t3","data":{"id":"a","title":"A","url":"https://e.example/a",
        "thumbnail":"https://e.example/t.jpg",
        "preview":{"images":[{"source":{"url":"https://e.example/l.jpg"}}]}}},
      {"kind":"t3","data":{"id":"b","title":"B","url":"https://e.example/b","thumbnail":"self"}},
      {"kind":"t3","data":{"id":"c","title":"C","url":"https://e.example/c",
        "thumbnail":"https://e.example/u.jpg"}}]}}
      """)
    #expect(guess.all(.imageURL) == ["https://e.example/l.jpg", nil, "https://e.example/u.jpg"])
  }

  @Test("a nickname is a name and not an id; numbers with a decimal zero are ids")
  func names() throws {
    #expect(try Self.first(#""object":"price","nickname":"Gold","unit_amount":5"#, .name) == "Gold")
    let guess = try GuessReading(#"[{"id":1.0,"name":"T"},{"id":2.0,"name":"T"}]"#)
    #expect(guess.ids == ["1", "2"])
  }
}
