import OffersCore
import Testing

@testable import OffersFeeds

/// Tables with the columns that networks and shops document, and invented rows.
@Suite("Guesses at tables")
struct TableGuessTests {
  private static let google = """
    id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tsale_price\tsale_price_effective_date\tbrand\tgtin\tgoogle_product_category\tproduct_type
    T1\tGreen tea, 100 g\tFirst flush\thttps://shop.example/t1\thttps://shop.example/t1.jpg\tin_stock\t4.90 EUR\t3.90 EUR\t2001-01-01T00:00+0000/2999-12-31T00:00+0000\tLeaf\t0012\t422\tFood > Tea
    T2\t"Jam ""Apricot"\""\tSweet\thttps://shop.example/t2\thttps://shop.example/t2.jpg\tout_of_stock\t3.20 EUR\t2.20 EUR\t2001-01-01T00:00+0000/2002-01-01T00:00+0000\tOrchard\t\t422\t

    """

  @Test("a table for Google Merchant Center is a known kind, with any delimiter")
  func merchant() throws {
    for document in [
      Self.google, Self.google.replacing("tea, 100", with: "tea 100").replacing("\t", with: ","),
    ] {
      let guess = try GuessReading(document)
      #expect(guess.proposal.kind == .merchant)
      #expect(guess.ids == ["T1", "T2"])
      #expect(guess.all(.name).last == "Jam \"Apricot\"")
      #expect(guess.all(.reward) == ["3.90 EUR", "3.20 EUR"])
      #expect(guess.all(.url) == ["https://shop.example/t1", "https://shop.example/t2"])
      #expect(guess.all(.imageURL).first == "https://shop.example/t1.jpg")
      #expect(guess.all(.categories) == [#"["Food > Tea"]"#, #"["422"]"#])
      #expect(
        guess.all(.attributes).first
          == #"[["Brand","Leaf"],["Availability","in_stock"],["GTIN","0012"]]"#)
      #expect(guess.proposal.notes.isEmpty)
    }
  }

  @Test("a table for Google with columns for the currency and the category uses them")
  func merchantCurrency() throws {
    let guess = try GuessReading(
      """
      id,title,description,link,image_link,price,sale_price,currency,category,google_product_category
      A0,Shirt,A shirt,https://s.example/0,https://s.example/0.jpg,10.00,,EUR,Shirts,1604
      A1,Shirt 1,A shirt,https://s.example/1,https://s.example/1.jpg,11.00 USD,9.00,€,,1604

      """)
    #expect(guess.proposal.kind == .merchant)
    #expect(guess.all(.reward) == ["10.00 EUR", "9.00 €"])
    #expect(guess.all(.categories) == [#"["Shirts"]"#, #"["1604"]"#])
    #expect(guess.proposal.notes.isEmpty)
  }

  @Test("a catalog of Meta begins with a line of comments in each column")
  func meta() throws {
    let guess = try GuessReading(
      """
      "# Required | A unique ID, such as a SKU","# Required | A title","# Required | A text","# Required | The price","# Required | The link","# Required | The URL for the main image"
      id,title,description,price,link,image_link
      F1,"Green tea, 100 g","First flush
      Second line","4,90 EUR",https://shop.example/f1,https://shop.example/f1.jpg

      """)
    #expect(guess.proposal.kind == .merchant)
    #expect(guess.all(.name) == ["Green tea, 100 g"])
    #expect(guess.all(.reward) == ["4,90 EUR"])
    #expect(guess.all(.description) == ["First flush\nSecond line"])
  }

  @Test("the same with blanks and capitals in its header is guessed")
  func spelledHeader() throws {
    let guess = try GuessReading(
      Self.google.replacing("image_link", with: "Image Link")
        .replacing("sale_price_effective_date", with: "sale price effective date")
        .replacing("sale_price", with: "Sale Price"))
    #expect(guess.proposal.kind == nil)
    #expect(guess.definition.format == .csv)
    #expect(guess.ids == ["T1", "T2"])
    #expect(guess.all(.reward) == ["3.90 EUR", "3.20 EUR"])
    #expect(guess.all(.imageURL).first == "https://shop.example/t1.jpg")
  }

  @Test("a table of Awin")
  func awin() throws {
    let guess = try GuessReading(
      """
      aw_deep_link,product_name,aw_product_id,merchant_product_id,merchant_image_url,description,merchant_category,search_price,merchant_name,merchant_id,category_name,category_id,aw_image_url,currency,store_price,delivery_cost,merchant_deep_link,language,last_updated,display_price,data_feed_id,ean
      "https://www.awin1.com/pclick.php?p=1&a=2&m=77","Green tea, 100 g",23595010,0012,https://img.example/12.jpg,"First flush",Tea,4.90,Leaf Ltd,77,Food,211,https://images2.productserve.com/?url=1,EUR,,2.95,https://shop.example/12,en,"2026-11-20 10:00:00",EUR4.90,4711,4001
      "https://www.awin1.com/pclick.php?p=2&a=2&m=77","Jam",23595011,0013,https://img.example/13.jpg,"Sweet",Jam,3.20,Leaf Ltd,77,Food,211,https://images2.productserve.com/?url=2,EUR,,2.95,https://shop.example/13,en,"2026-11-20 10:00:00",EUR3.20,4711,4002

      """)
    #expect(guess.ids == ["23595010", "23595011"])
    #expect(guess.all(.name) == ["Green tea, 100 g", "Jam"])
    #expect(guess.all(.reward) == ["4.90 EUR", "3.20 EUR"])
    #expect(guess.definition.presentation.valueRole == .price)
    #expect(guess.all(.url).first == "https://www.awin1.com/pclick.php?p=1&a=2&m=77")
    #expect(guess.all(.imageURL).first == "https://img.example/12.jpg")
    #expect(guess.all(.retailer) == ["Leaf Ltd", "Leaf Ltd"])
    #expect(guess.all(.categories).first == #"["Food"]"#)
  }

  @Test("a catalog of CJ with capitals and tabs")
  func cj() throws {
    let guess = try GuessReading(
      """
      PROGRAMNAME\tPROGRAMURL\tCATALOGNAME\tLASTUPDATED\tNAME\tKEYWORDS\tDESCRIPTION\tSKU\tMANUFACTURER\tCURRENCY\tSALEPRICE\tPRICE\tRETAILPRICE\tBUYURL\tIMPRESSIONURL\tIMAGEURL\tADVERTISERCATEGORY\tINSTOCK
      Leaf\thttps://leaf.example\tMain\t11/20/2026\tGreen tea\ttea\tNice tea\t0012\tLeafCo\tUSD\t3.90\t4.90\t\thttps://www.anrdoezrs.net/click-1\thttps://t.example/1\thttps://shop.example/1.jpg\tTea\tyes
      Leaf\thttps://leaf.example\tMain\t11/20/2026\tJam\tjam\tNice jam\t0013\tLeafCo\tUSD\t\t5.20\t\thttps://www.anrdoezrs.net/click-2\thttps://t.example/2\thttps://shop.example/2.jpg\tJam\tyes

      """)
    #expect(guess.ids == ["0012", "0013"])
    #expect(guess.all(.name) == ["Green tea", "Jam"])
    #expect(guess.all(.reward) == ["3.90 USD", "5.20 USD"])
    #expect(guess.all(.url).first == "https://www.anrdoezrs.net/click-1")
    #expect(guess.all(.imageURL).first == "https://shop.example/1.jpg")
    #expect(guess.all(.retailer) == ["Leaf", "Leaf"])
  }

  @Test("a German table with semicolons and decimal commas")
  func german() throws {
    let text = """
      Artikelnummer;Bezeichnung;Preis;Währung;Deeplink;Bild_URL
      G1;Grüner Tee 100 g;4,90;EUR;https://laden.example/g1;https://laden.example/g1.jpg
      G2;Marmelade für Gäste;12,99;EUR;https://laden.example/g2;https://laden.example/g2.jpg

      """
    let guess = try GuessReading(
      text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, pieceSize: 7)
    #expect(guess.ids == ["G1", "G2"])
    #expect(guess.all(.name) == ["Grüner Tee 100 g", "Marmelade für Gäste"])
    #expect(guess.all(.reward) == ["4,90 EUR", "12,99 EUR"])
    #expect(guess.all(.imageURL).first == "https://laden.example/g1.jpg")
  }

  @Test("coupons with a header for people")
  func coupons() throws {
    let guess = try GuessReading(
      """
      sep=;
      Item No.;Product Name;Sale Price;Valid Until
      0012;"Tea; green";1.234,50 €;05.12.2026
      0013;Coffee;12,99 €;16.12.2026

      """)
    #expect(guess.ids == ["0012", "0013"])
    #expect(guess.all(.name) == ["Tea; green", "Coffee"])
    #expect(guess.all(.reward) == ["1.234,50 €", "12,99 €"])
    #expect(guess.all(.expiresAt).allSatisfy { $0 != nil })
  }

  @Test("of two columns with the same name the first one counts")
  func sameNames() throws {
    let guess = try GuessReading(
      "id,name,image,image\n1,Tea,https://a.example/1.jpg,https://a.example/2.jpg\n")
    #expect(guess.all(.imageURL) == ["https://a.example/1.jpg"])
  }

  @Test("a table with one column is a list of names")
  func oneColumn() throws {
    let guess = try GuessReading("name\nTea\n\"Milk, fresh\"\nJam\n")
    #expect(guess.all(.name) == ["Tea", "Milk, fresh", "Jam"])
  }

  @Test("rows of a table that cannot be read are one note each kind")
  func notes() throws {
    let guess = try GuessReading(
      "id,name,link\n1,Tea,https://x.example/1\n2,a,b,c,d\n3,a,b,c,d\n4,Jam,https://x.example/4\n")
    #expect(guess.ids == ["1", "4"])
    #expect(
      guess.proposal.notes.contains("2 of 4 items are left out: 5 cells, where the header has 3."))
  }

  @Test(
    "the order of the numbers in dates is that of a column with a number above 12",
    arguments: [
      ("12/31/2026", "11/05/2026", "mdy", ["1798761599", "1793923199"]),
      ("31/12/2026", "05/11/2026", "dmy", ["1798761599", "1793923199"]),
      ("31-12-2026", "05-11-2026", "dmy", ["1798761599", "1793923199"]),
      ("12/31/26", "11/05/26", "mdy", ["1798761599", "1793923199"]),
      ("12/31/2026 10:00", "11/05/2026 10:00", "mdy", ["1798711200", "1793872800"]),
    ])
  func dateOrder(first: String, second: String, order: String, ends: [String]) throws {
    let guess = try GuessReading(
      "id,name,note,expires\n1,Tea,Packs of 10/20/30,\(first)\n2,Jam,20/10/30,\(second)\n")
    #expect(guess.definition.dateOrder?.rawValue == order)
    #expect(guess.all(.expiresAt) == ends)
  }

  @Test("one column proves the order of the dates in another, and of dates to come")
  func dateOrderOfOthers() throws {
    let guess = try GuessReading(
      "id,name,start_date,end_date\n1,Tea,11/01/2026,12/31/2026\n2,Jam,11/02/2026,12/24/2026\n")
    #expect(guess.definition.dateOrder == .mdy)
    #expect(guess.all(.startsAt) == ["1793491200", "1793577600"])
    #expect(guess.all(.expiresAt).allSatisfy { $0 != nil })
  }

  @Test(
    "dates that may be read in two orders are not read, also where others contradict each other")
  func unknownDateOrder() throws {
    let columns: [(dates: (String, String), ends: [String?])] = [
      (("11/05/2026", "10/05/2026"), [nil, nil, nil]),
      // Each of these days has one reading.
      (("31/12/2026", "12/31/2026"), ["1798761599", "1798761599", nil]),
    ]
    for (dates, ends) in columns {
      let guess = try GuessReading(
        "id,language,description,expires\n1,x,Tea,\(dates.0)\n2,y,Jam,\(dates.1)\n3,z,Ham,01/02/2026\n"
      )
      #expect(guess.definition.dateOrder == nil)
      #expect(guess.all(.expiresAt) == ends)
    }
  }

  @Test("a French table with words around the names of its columns")
  func french() throws {
    let guess = try GuessReading(
      """
      Référence;Nom;Description courte;Prix de vente TTC;Prix barré;URL du produit;URL de l'image;Catégorie par défaut;Date de fin
      R1;Thé vert;Première récolte;4,90 €;6,90 €;https://b.example/p?id=1;https://b.example/1.jpg;Thés;05/12/2026
      R2;Thé noir;Assam;1 299,00 €;;https://b.example/p?id=2;https://b.example/2.jpg;Thés;25/12/2026

      """)
    #expect(guess.ids == ["R1", "R2"])
    #expect(guess.all(.description) == ["Première récolte", "Assam"])
    #expect(guess.all(.reward) == ["4,90 €", "1 299,00 €"])
    #expect(guess.definition.presentation.valueRole == .price)
    #expect(guess.all(.url).first == "https://b.example/p?id=1")
    #expect(guess.all(.imageURL).first == "https://b.example/1.jpg")
    #expect(guess.all(.categories).first == #"["Thés"]"#)
    #expect(guess.all(.expiresAt) == ["1796515199", "1798243199"])
  }

  @Test("tables of a French network: the price, the link, the id and a currency of signs")
  func frenchNetwork() throws {
    let new = try GuessReading(
      """
      Nom,reference interne,prix actuel,categorie,URLproduit,marque,EAN,descriptif,URL image moyenne,prix barre
      Boots Fleur,78376899,139.00,Boots,https://t.example/?p=1,Minelli,3610272281846,Boots en cuir,https://i.example/1.jpg,159.00
      Boots Lys,78376900,99.00,Boots,https://t.example/?p=2,Minelli,0,Boots en daim,https://i.example/2.jpg,99.00

      """)
    #expect(new.ids == ["78376899", "78376900"])
    #expect(new.all(.reward) == ["139.00", "99.00"])
    #expect(new.definition.presentation.valueRole == .price)
    #expect(new.all(.url) == ["https://t.example/?p=1", "https://t.example/?p=2"])
    #expect(new.all(.description) == ["Boots en cuir", "Boots en daim"])
    let old = try GuessReading(
      """
      Id product,Name,Price,Currency,Category,Url,Brand,EAN,Description,Url medium image
      5121016303461,Slip on,"35,00",€,Baskets,https://t.example/?p=1,Goby,8698058038698,"Slip-on, cuir",https://i.example/1.jpg
      64215036338605,Zapping,"195,00",€,Baskets,https://t.example/?p=2,Ash,0,Chaussures marron,https://i.example/2.jpg

      """)
    #expect(old.ids == ["5121016303461", "64215036338605"])
    #expect(old.all(.reward) == ["35,00 €", "195,00 €"])
    #expect(old.proposal.notes.isEmpty)
  }

  @Test("a column of ids in which several rows have 0 is not the id")
  func zeros() throws {
    func table(_ ids: [String]) -> String {
      "id;sku;name;price\n"
        + ids.enumerated().map { "\($1);S\($0);Tea \($0);4.90 €\n" }.joined()
    }
    let rows = (1...20).map(String.init)
    #expect(try GuessReading(table(["0", "0"] + rows)).ids.first == "S0")
    #expect(try GuessReading(table(["0"] + rows)).ids.first == "0")
    #expect(try GuessReading(table(["3", "3"] + rows.dropFirst(3))).ids.first == "3")
  }

  @Test("the price of a shipping is labelled by it, and words in one of two scripts are divided")
  func labels() throws {
    let guess = try GuessReading(
      #"""
      [{"id":"1","title":"Tea","price":"5.00 EUR","shipping":{"country":"FR","price":"4.90 EUR"},
        "variant":{"price":"6 EUR"}},
       {"id":"2","title":"Jam","price":"6.00 EUR","shipping":{"country":"DE","price":"5.90 EUR"},
        "variant":{"price":"7 EUR"}}]
      """#)
    #expect(guess.all(.reward) == ["5.00 EUR", "6.00 EUR"])
    #expect(guess.labels == ["Country", "Shipping", "Variant price"])
    #expect(KeyWords("URLproduit").words == ["url", "produit"])
    #expect(KeyWords("IDproduit").words == ["id", "produit"])
    #expect(KeyWords("URLImage").words == ["url", "image"])
    #expect(KeyWords("imageURL").words == ["image", "url"])
    #expect(KeyWords("HTMLText").words == ["html", "text"])
  }

  @Test("a German table with alternatives of names, and an id of the shop")
  func germanShop() throws {
    let guess = try GuessReading(
      """
      Artikelnummer im Shop;Originalherstellerartikelnummer (HAN/MPN);Herstellername / Markenname;Produktname;Preis (Brutto);ProduktURL;BildURL_1;Versandkosten;Produktbeschreibung
      A1;H1;Leaf;Grüner Tee;4,90;https://laden.example/1;https://laden.example/1.jpg;3,90;Erste Ernte
      A2;H2;Leaf;Schwarzer Tee;1.299,90;https://laden.example/2;https://laden.example/2.jpg;3,90;Assam

      """)
    #expect(guess.ids == ["A1", "A2"])
    #expect(guess.all(.retailer) == ["Leaf", "Leaf"])
    #expect(guess.all(.reward) == ["4,90", "1.299,90"])
    #expect(guess.all(.description) == ["Erste Ernte", "Assam"])
  }

  @Test("an export of Shopify has a row for each variant, the others without a title")
  func shopify() throws {
    let guess = try GuessReading(
      """
      Handle,Title,Body (HTML),Vendor,Type,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Compare At Price,Image Src
      green-tea,Green tea,<p>First</p>,Leaf,Tea,Size,100 g,,4.90,6.90,https://cdn.example/1.jpg
      green-tea,,,,,,250 g,,9.90,,https://cdn.example/1b.jpg
      black-tea,Black tea,<p>Assam</p>,Leaf,Tea,Title,Default Title,,5.90,,https://cdn.example/2.jpg

      """)
    #expect(guess.ids == ["green-tea", "black-tea"])
    #expect(guess.all(.reward) == ["4.90", "5.90"])
    #expect(guess.definition.presentation.valueRole == .price)
    #expect(guess.all(.retailer) == ["Leaf", "Leaf"])
  }

  @Test("of several pictures in a cell, as WooCommerce writes them, the first one counts")
  func woo() throws {
    let guess = try GuessReading(
      """
      ID,SKU,Name,"Short description",Description,"Sale price","Regular price",Categories,Images
      101,GT,"Green tea","First","<p>Long</p>",3.90,4.90,"Food > Tea","https://s.example/1.jpg, https://s.example/1b.jpg"
      102,BT,"Black tea","Assam","<p>Long</p>",,5.90,"Food > Tea",https://s.example/2.jpg

      """)
    #expect(guess.all(.imageURL) == ["https://s.example/1.jpg", "https://s.example/2.jpg"])
    #expect(guess.all(.reward) == ["3.90", "5.90"])
  }

  @Test("the name of a coupon is its short description, not its code")
  func couponCodes() throws {
    let guess = try GuessReading(
      """
      Coupon ID\tAdvertiser Name\tDescription\tCoupon Code\tLink\tPromotion Type\tPromotion End Date
      11\tLeaf\t20% off all teas\tTEA20\thttps://ck.example/1\tSale\tDec 31, 2026
      12\tLeaf\t$5 off $50\tFIVE\thttps://ck.example/2\tSale\t

      """)
    #expect(guess.all(.name) == ["20% off all teas", "$5 off $50"])
    #expect(guess.all(.description) == [nil, nil])
    #expect(guess.all(.retailer) == ["Leaf", "Leaf"])
    #expect(guess.labels.contains("Coupon code"))
  }

  @Test("a table without names of values names its columns in the refusal")
  func unknownColumns() throws {
    let error = try #require(throws: OffersError.self) {
      try GuessReading("aaa,bbb,ccc\n1,2,3\n4,5,6\n7,8,9\n")
    }
    #expect(error.code == .invalidRequest)
    #expect(error.hint?.text.contains("aaa") == true)
  }
}
