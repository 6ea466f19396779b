import OffersCore

/// The names of an offer's fields in English, German, Spanish, French and Italian.
enum FieldVocabulary {
  /// Ranks how well a member's name fits a field: 0 is best; nil when it does not fit.
  ///
  /// - Parameters:
  ///   - words: the words of the member's name, or of the object of which it is the main value.
  ///   - field: the field that might take the member's value.
  static func rank(_ words: KeyWords, as field: OfferField) -> Int? {
    guard let names = names[field] else { return nil }
    let joined = words.joined
    if let place = names.firstIndex(of: joined) { return place }
    // In `offer_title`, `dealPrice` and `product-image`, the field's name follows a word for the
    // offer itself.
    if let first = words.words.first, subjects.contains(first), words.words.count > 1 {
      let rest = words.words.dropFirst().joined()
      if let place = names.firstIndex(of: rest) { return place + 1 }
    }
    if field == .reward, words.words.contains(where: percentWords.contains) {
      let rest = words.words.filter { !percentWords.contains($0) && $0 != "off" }.joined()
      return rest.isEmpty ? 30 : names.firstIndex(of: rest)
    }
    if field == .reward, case let rest = withoutUnit(words), rest != joined, !rest.isEmpty {
      return names.firstIndex(of: rest).map { $0 + 1 }
    }
    if field == .reward, let rank = rankWithTax(words, names) { return rank }
    if field == .imageURL, words.words.contains(where: imageWords.contains) { return 40 }
    if field == .url, let last = words.words.last, ["url", "link", "href"].contains(last) {
      return 60
    }
    return nil
  }

  /// The name of an amount without the words for its unit: `price` for `price_in_cents`.
  static func withoutUnit(_ words: KeyWords) -> String {
    let isMinor = words.words.contains(where: minorWords.contains)
    return words.words.filter { word in
      !minorWords.contains(word) && word != "money" && !(isMinor && word == "in")
    }.joined()
  }

  /// Ranks a price whose name says whether a tax is in it. The price with the tax, which people pay,
  /// comes before a plain one, and that without it after all others.
  private static func rankWithTax(_ words: KeyWords, _ names: [String]) -> Int? {
    let isNet = words.words.contains(where: netWords.contains)
    let rest = words.words.filter { !netWords.contains($0) && !taxWords.contains($0) }
    guard rest.count < words.words.count, !rest.isEmpty else { return nil }
    let bare = rest.first.map { subjects.contains($0) } == true ? rest.dropFirst() : rest[...]
    guard let place = names.firstIndex(of: rest.joined()) ?? names.firstIndex(of: bare.joined())
    else { return nil }
    return isNet ? place + 60 : max(0, place - 1)
  }

  /// Words in the name of a price that has a tax in it.
  private static let taxWords: Set = [
    "tax", "taxes", "vat", "gst", "incl", "inc", "including", "inclusive", "included", "with",
    "gross", "brutto", "inkl", "mwst", "ust", "ttc", "tva", "avec", "taxe", "iva", "con", "ivato",
    "incluido", "btw", "moms", "dph", "bruto",
  ]
  /// Words in the name of a price that has none in it.
  private static let netWords: Set = [
    "excl", "ex", "excluding", "exclusive", "without", "net", "netto", "exkl", "ohne", "zzgl", "ht",
    "hors", "sin", "senza", "neto",
  ]

  /// Whether a name says that the user pays the value.
  static func isPrice(_ words: KeyWords) -> Bool {
    words.joined.hasPrefix("unitamount")
      || priceWords.contains { words.joined.contains($0) }
      || words.words.contains(where: payWords.contains)
  }

  /// Words for a price that are also parts of other words.
  private static let payWords: Set = [
    "cost", "msrp", "rrp", "uvp", "pvp", "prix", "pris", "prijs", "cena", "preco", "hinta", "fiyat",
    "cijena", "pret", "цена", "стоимость", "ціна",
  ]

  /// Whether a name says that the value is the price of a sale, which has dates.
  static func isSalePrice(_ words: KeyWords) -> Bool {
    words.words.contains { saleWords.contains($0) }
  }

  private static let saleWords: Set = [
    "sale", "special", "promo", "promotion", "promotional", "discounted", "aktionspreis", "aktion",
    "deal", "campaign",
  ]

  /// Names of the first date of a sale.
  static let saleStarts: Set = [
    "dateonsalefrom", "salestart", "salestarts", "salestartdate", "salestartsat", "salefrom",
    "salefromdate", "salepricefrom", "salepricestart", "salepricestartdate", "salepricedatesfrom",
    "specialfromdate", "specialfrom", "specialpricefrom", "specialpricefromdate",
    "specialpricestart", "specialpricestartdate", "promostart", "promostartdate", "promofrom",
    "promotionstart", "promotionstartdate", "aktionvon", "aktionspreisvon", "discountstartdate",
  ]
  /// Names of the last date of a sale. It is not the end of the offer.
  static let saleEnds: Set = [
    "dateonsaleto", "onsaleuntil", "saleend", "saleends", "saleenddate", "saleendsat", "saleto",
    "saletodate", "saleuntil", "salepriceto", "salepriceend", "salepriceenddate",
    "salepricedatesto", "salepriceuntil", "specialtodate", "specialto", "specialpriceto",
    "specialpricetodate", "specialpriceend", "specialpriceenddate", "promoend", "promoenddate",
    "promoto", "promotionend", "promotionenddate", "aktionbis", "aktionspreisbis",
    "discountenddate",
  ]
  /// Names of both dates of a sale in one text.
  static let saleRanges: Set = [
    "salepriceeffectivedate", "saleeffectivedate", "saledates", "salepricedates",
  ]

  /// Whether a name says that the value is paid to the user, or deducted from a price.
  static func isReward(_ words: KeyWords) -> Bool {
    words.words.contains { rewardWords.contains($0) || percentWords.contains($0) }
      || ["reward", "cashback"].contains { words.joined.contains($0) }
  }

  private static let priceWords = [
    "price", "pricing", "preis", "precio", "prezzo", "価格", "价格", "가격",
  ]

  private static let rewardWords: Set = [
    "rebate", "savings", "saving", "discount", "off", "rabatt", "nachlass", "descuento", "remise",
    "reduction", "sconto", "ersparnis", "bonus",
  ]

  /// Whether an object's name says that its members are prices.
  static func isPriceHolder(_ words: KeyWords) -> Bool {
    words.joined == "pricing" || rank(words, as: .reward) != nil
  }

  /// Names of objects with the current price, as in `price.sale.amount`.
  static let salePrices: Set = [
    "sale", "special", "current", "now", "final", "discounted", "promo",
  ]
  /// Names of objects with the regular price.
  static let listPrices: Set = [
    "list", "regular", "original", "was", "msrp", "rrp", "compareat", "before", "old", "full",
  ]

  /// Words for minor units, such as cents, in the name of an amount.
  static let minorWords: Set = ["cent", "cents", "pence", "minor", "centimes"]

  /// Names of members with the number of decimals of an amount's currency.
  static let placesNames: Set = [
    "currencyminorunit", "minorunit", "fractiondigits", "currencyfractiondigits", "decimalplaces",
    "currencydecimals", "currencyexponent", "exponent",
  ]

  /// Ranks how clearly the name of a list or element says that it contains offers: 2 clearly, 0 not
  /// at all.
  static func containerRank(_ key: String) -> Int {
    let words = KeyWords(key).words
    func isOf(_ names: Set<String>) -> Bool {
      words.contains { names.contains($0) || names.contains($0 + "s") }
    }
    if isOf(offerContainers) { return 2 }
    return isOf(plainContainers) ? 1 : 0
  }

  /// Names of an object that wraps the members of an item, as in `{"node": {…}}`.
  static let wrappers: Set = [
    "node", "attributes", "properties", "fields", "_source", "item", "data", "document", "product",
    "offer", "deal", "coupon", "entry",
  ]

  /// Names of the main value of an object that is named like the field, such as `name` in
  /// `store.name` for the retailer.
  static func carriers(of field: OfferField) -> Set<String> {
    let plain: Set = ["text", "value", "label", "rendered", "t", "plain", "content", "default", ""]
    switch field {
    case .imageURL:
      return plain.union([
        "url", "src", "href", "link", "large", "original", "full", "medium", "source", "uri",
      ])
    case .url: return plain.union(["href", "url", "web", "self", "permalink", "alternate", "html"])
    case .reward:
      return plain.union([
        "amount", "price", "current", "sale", "now", "final", "display", "formatted", "min",
        "betrag", "importe", "montant", "importo",
      ])
    case .retailer, .categories:
      return plain.union(["name", "title", "displayname", "nombre", "nom", "nome", "titel"])
    case .id: return ["oid", "value", "id", "text", ""]
    case .startsAt, .expiresAt: return plain.union(["date", "datetime", "iso"])
    default: return plain
    }
  }

  /// Names of objects that describe another thing than the offer, so that a name in them is not the
  /// offer's.
  static let strangers: Set = [
    "store", "merchant", "retailer", "shop", "seller", "vendor", "brand", "supplier", "advertiser",
    "company", "author", "creator", "user", "owner", "contact", "category", "categories", "tag",
    "tags", "genre", "genres", "haendler", "markt", "anbieter", "marke", "hersteller", "kategorie",
    "tienda", "marca", "magasin", "marque", "vendeur", "negozio", "address", "location", "venue",
    "variants", "options", "images", "media", "reviews", "rating", "kriterien",
  ]

  static let currencyNames: Set = [
    "currency", "currencycode", "currencyid", "isocurrency", "pricecurrency", "waehrung",
    "waehrungscode", "moneda", "devise", "valuta", "divisa",
  ]

  /// Words for things that many offers share, so that a member with such a name is not an offer's
  /// name.
  static let sharedWords: Set = [
    "address", "street", "adresse", "strasse", "direccion", "indirizzo", "city", "ort", "ciudad",
    "zip", "postal", "plz", "state", "country", "region", "phone", "telefon", "email", "hours",
    "language", "locale", "currency", "type", "kind", "status", "unit", "color", "size", "cursor",
    "index", "author", "creator", "user",
  ]

  static let percentWords: Set = [
    "percent", "percentage", "pct", "prozent", "porcentaje", "pourcentage", "percentuale",
  ]

  /// Words in a member's name that show that a number may be a time.
  static let timeWords: Set = [
    "date", "time", "timestamp", "ts", "epoch", "at", "on", "created", "updated", "modified",
    "published",
    "released", "datum", "zeit", "fecha", "data", "bis", "von", "ab", "until", "from", "start",
    "end", "expires", "expiry", "since",
  ]

  private static let subjects: Set = [
    "offer", "deal", "product", "item", "coupon", "promo", "promotion", "voucher", "angebot",
    "angebots", "produkt", "artikel", "oferta", "producto", "offre", "produit", "offerta",
    "prodotto", "article", "event", "listing",
  ]

  private static let imageWords: Set = [
    "image", "img", "picture", "photo", "thumbnail", "thumb", "poster", "icon", "bild", "imagen",
    "foto", "immagine", "artwork", "cover", "logo", "banner", "bilder", "vignette", "backdrop",
  ]

  private static let offerContainers: Set = [
    "offers", "deals", "coupons", "products", "promotions", "promos", "vouchers", "rebates",
    "angebots", "angebote", "produkte", "gutscheine", "ofertas", "cupones", "cupons", "productos",
    "promociones", "offres", "produits", "bons", "offerte", "prodotti", "sconti", "specials",
  ]

  private static let plainContainers: Set = [
    "items", "results", "entries", "entrys", "rows", "records", "list", "lists", "data", "listings",
    "hits", "docs", "edges", "artikel", "articles", "events", "content", "elements", "features",
    "objects", "values", "feed", "channel",
  ]

  /// The fields' names, with their words joined, in order of preference.
  private static let names: [OfferField: [String]] = [
    .id: [
      "id", "guid", "uuid", "uid", "identifier", "identifiant", "identificador",
      "identificativo", "kennung", "key", "sku", "asin", "gtin", "ean",
      "upc", "mpn", "artikelnummer", "angebotsnummer", "nummer", "number", "nr", "slug", "handle",
      "code",
    ],
    .name: [
      "title", "name", "headline", "titel", "titulo", "titre", "titolo", "nombre", "nom", "nome",
      "bezeichnung", "ueberschrift", "heading", "displayname", "fullname", "longname", "shorttitle",
      "label", "caption", "subject", "produktname", "artikelbezeichnung", "intitule", "libelle",
      "denominazione", "nickname", "offer", "deal", "product", "item", "promotion", "promo",
      "angebot",
      "produkt",
      "artikel", "oferta", "producto", "offre", "produit", "offerta", "prodotto",
    ],
    .description: [
      "description", "desc", "beschreibung", "descripcion", "descrizione", "descricao",
      "descriptionhtml", "longdescription", "fulldescription", "selftext", "body", "bodyhtml",
      "contenthtml", "content", "text",
      "overview", "summary", "abstract", "excerpt", "zusammenfassung", "kurzbeschreibung",
      "shortdescription", "details", "detail", "about", "synopsis", "resumen", "resume",
      "sommario", "info", "blurb", "teaser", "snippet", "tagline", "subtitle",
    ],
    .terms: [
      "terms", "termsandconditions", "termsconditions", "conditions", "fineprint",
      "legal", "restrictions", "disclaimer", "tnc", "exclusions", "bedingungen", "agb",
      "zusatztext",
      "kleingedrucktes", "hinweis", "hinweise", "einloesebedingungen", "condiciones", "condizioni",
      "terminos", "mentions", "mentionslegales",
    ],
    .reward: [
      "reward", "rewardtext", "cashback", "cashbacktext", "currentvalue", "rebate", "saleprice",
      "promoprice",
      "promotionalprice", "discountedprice", "discountprice", "prixpromo", "preciooferta",
      "prezzoofferta", "actieprijs", "kampanjpris", "precopromocional",
      "specialprice", "dealprice", "offerprice", "angebotspreis", "aktionspreis", "currentprice",
      "finalprice", "newprice", "price", "pricetext", "preis", "precio", "prix", "prezzo",
      "prices", "savings", "discount", "discountvalue", "discounttext", "rabatt", "nachlass",
      "descuento", "remise", "reduction", "sconto", "ersparnis", "bonus", "amount", "betrag",
      "value", "wert", "cost", "minprice", "pricerange", "unitamount", "unitprice", "amountoff",
      "discountamount", "priceusd", "priceeur",
      "pricegbp", "sellingprice", "sellprice", "salesprice", "ourprice", "yourprice",
      "searchprice", "displayprice", "storeprice", "shopprice", "verkaufspreis", "endpreis",
      "bruttopreis", "barpreis", "precioventa", "preciofinal", "pvp", "prixvente", "prixfinal",
      "prezzofinale", "prezzovendita", "cena", "pris", "prijs", "verkoopprijs", "preco",
      "precofinal", "hinta", "fiyat", "cijena", "pret", "цена", "стоимость", "ціна", "価格", "价格",
      "가격", "baseprice", "regularprice", "listprice", "retailprice", "normalprice",
      "originalprice", "nettopreis", "rrp", "uvp", "msrp",
    ],
    .imageURL: [
      "image", "imageurl", "imagelink", "imagehref", "imageuri", "imagesrc", "img", "imgurl",
      "picture", "pictureurl", "photo", "photourl", "images", "pictures", "photos", "mainimage",
      "primaryimage", "featuredimage", "heroimage", "coverimage", "bild", "bildurl", "bilder",
      "imagen", "foto", "immagine", "posterpath", "poster", "cover", "artwork", "artworkurl",
      "thumbnail", "thumbnailurl", "thumb", "banner",
    ],
    .url: [
      "link", "htmlurl", "weburl", "url", "permalink", "weblink", "canonicalurl", "href",
      "deeplink",
      "trackinglink", "landingpage", "landingurl", "affiliateurl", "shareurl", "lien",
      "enlace", "adresse", "links", "webpage", "website", "site",
    ],
    .retailer: [
      "retailer", "retailername", "store", "storename", "merchant", "merchantname", "shop",
      "shopname", "seller", "sellername", "vendor", "vendorname", "advertiser", "advertisername",
      "haendler", "haendlername", "markt", "anbieter", "tienda", "comercio", "magasin", "enseigne",
      "marchand", "vendeur", "negozio", "venditore", "brand", "brandname", "marke", "marca",
      "marque", "marchio", "hersteller", "manufacturer", "supplier", "company", "companyname",
    ],
    .categories: [
      "categories", "category", "categoryname", "kategorien", "kategorie", "categorias",
      "categoria", "categorie", "producttype", "warengruppe", "genres", "genre", "primarygenrename",
      "department", "section", "rubrik", "sparte", "tags", "tag", "keywords", "topics", "topic",
      "cuisine", "cuisines", "labels",
    ],
    .startsAt: [
      "starts", "start", "startsat", "startdate", "startson", "starttime", "startsdate",
      "validfrom",
      "validfromdate", "validsince", "availablefrom", "begin", "begins", "begindate", "beginsat",
      "gueltigvon", "gueltigab", "beginn", "startdatum", "von", "inicio", "fechainicio", "desde",
      "validodesde", "debut", "datedebut", "datadebut", "validodal", "inizio", "datainizio",
      "effectivedate", "effectivefrom", "availabilitydate", "validityfrom", "validitystart",
    ],
    .expiresAt: [
      "expires", "expiresat", "expireson", "expiry", "expirydate", "expirationdate", "expiration",
      "expiredate", "expire", "validuntil", "validto", "validtill", "validthrough", "validthru",
      "validtodate", "ends", "end", "endsat", "enddate", "endson", "endtime", "deadline",
      "gueltigbis", "ablaufdatum", "ablauf", "enddatum", "ende", "bis", "pricevaliduntil",
      "offerexpires", "availableuntil", "fin", "fechafin", "hasta", "validohasta", "vence",
      "caducidad", "fechacaducidad", "datefin", "valablejusquau", "expirele", "scadenza",
      "datascadenza", "validofinoal", "fine", "datafine", "validityto", "validityend",
      "validityuntil",
    ],
    .latitude: ["latitude", "lat", "breitengrad", "geolat", "latitud", "latitudine"],
    .longitude: ["longitude", "lng", "lon", "long", "laengengrad", "geolong", "longitud"],
  ]
}
