import OffersCore

/// The names of an offer's fields in English, German, Spanish, French and Italian, and the words
/// that decide between members of similar names.
enum FieldNames {
  /// Ranks how well a member's name fits a field: 0 is best; nil when it does not fit.
  ///
  /// - Parameters:
  ///   - words: the words of the member's name, or of the object of which it is the main value.
  ///   - field: the field that might take the member's value.
  static func rank(_ words: KeyWords, as field: OfferField) -> Int? {
    guard let names = names[field] else { return nil }
    if let place = names[words.joined] { return place }
    // In `offer_title`, `dealPrice` and `product-image`, the field's name follows a word for the
    // offer itself.
    let isOfOffer = words.words.count > 1 && subjects.contains(words.words[0])
    if isOfOffer, let place = names[words.words.dropFirst().joined()] { return place + 1 }
    switch field {
    case .reward: return rankOfMoney(words, names)
    case .imageURL: return words.has(oneOf: imageWords) ? 40 : nil
    case .url: return ["url", "link", "href"].contains(words.words.last) ? 60 : nil
    default: return nil
    }
  }

  /// Ranks an amount whose name says its unit, that it is a percentage, or whether a tax is in it.
  /// The price with the tax, which people pay, comes before a plain one, and that without it last.
  private static func rankOfMoney(_ words: KeyWords, _ names: [String: Int]) -> Int? {
    if words.has(oneOf: percentWords) {
      let rest = words.words.filter { !percentWords.contains($0) && $0 != "off" }.joined()
      return rest.isEmpty ? 30 : names[rest]
    }
    let plain = withoutUnit(words)
    if plain != words.joined { return names[plain].map { $0 + 1 } }
    let rest = words.words.filter { !netWords.contains($0) && !taxWords.contains($0) }
    if rest.count == words.words.count { return nil }
    let isOfOffer = rest.first.map(subjects.contains) == true
    guard let place = names[rest.joined()] ?? (isOfOffer ? names[rest.dropFirst().joined()] : nil)
    else { return nil }
    return words.has(oneOf: netWords) ? place + 60 : max(0, place - 1)
  }

  /// The name of an amount without the words for its unit: `price` for `price_in_cents`.
  static func withoutUnit(_ words: KeyWords) -> String {
    let isMinor = words.has(oneOf: minorWords)
    return words.words.filter { word in
      !minorWords.contains(word) && word != "money" && !(isMinor && word == "in")
    }.joined()
  }

  /// Whether a name says that the user pays the value.
  static func isPrice(_ words: KeyWords) -> Bool {
    words.joined.hasPrefix("unitamount") || words.has(oneOf: payWords)
      || priceWords.contains { words.joined.contains($0) }
  }

  /// Whether a name says that the value is paid to the user, or deducted from a price.
  static func isReward(_ words: KeyWords) -> Bool {
    words.has(oneOf: rewardWords) || words.has(oneOf: percentWords)
      || ["reward", "cashback"].contains { words.joined.contains($0) }
  }

  /// Whether a name announces a payment or a discount, so that texts without a number are rewards.
  static func isPromise(_ words: KeyWords) -> Bool {
    ["reward", "cashback", "discount", "rabatt", "descuento", "remise", "sconto", "savings"]
      .contains { words.joined.hasPrefix($0) }
  }

  /// Whether an object's name says that its members are prices.
  static func isPriceHolder(_ words: KeyWords) -> Bool {
    words.joined == "pricing" || rank(words, as: .reward) != nil
  }

  /// Ranks how clearly the name of a list or element says that it contains offers: 2 clearly, 0 not
  /// at all.
  static func containerRank(_ key: String) -> Int {
    let words = KeyWords(key).words.flatMap { [$0, $0 + "s"] }
    if words.contains(where: offerContainers.contains) { return 2 }
    return words.contains(where: plainContainers.contains) ? 1 : 0
  }

  /// Whether a member is the main value of an object that is named like the field, such as `name` in
  /// `store.name` for the retailer.
  static func isMain(_ words: KeyWords, of field: OfferField) -> Bool {
    switch field {
    case .id: ["oid", "value", "id", "text", ""].contains(words.joined)
    case .reward: amounts.contains(withoutUnit(words))
    default: carriers.contains(words.joined)
    }
  }

  static let carriers = set(
    """
    text value label rendered t plain content default url src href link large original full medium
    source uri web self permalink alternate html name title displayname nombre nom nome titel date
    datetime iso
    """
  ).union([""])
  private static let amounts = set(
    """
    text value label rendered t plain content default amount price current sale now final display
    formatted min betrag importe montant importo
    """
  ).union([""])

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  // MARK: Words

  private static let subjects = set(
    """
    offer deal product item coupon promo promotion voucher angebot angebots produkt artikel oferta
    producto offre produit offerta prodotto article event listing
    """)

  /// Words in the name of a price that has a tax in it.
  private static let taxWords = set(
    """
    tax taxes vat gst incl inc including inclusive included with gross brutto inkl mwst ust ttc tva
    avec taxe iva con ivato incluido btw moms dph bruto
    """)
  /// Words in the name of a price that has none in it.
  private static let netWords = set(
    """
    excl ex excluding exclusive without net netto exkl ohne zzgl ht hors sin senza neto
    """)

  private static let priceWords = [
    "price", "pricing", "preis", "precio", "prezzo", "価格", "价格", "가격",
  ]
  /// Words for a price that are also parts of other words.
  private static let payWords = set(
    """
    cost msrp rrp uvp pvp prix pris prijs cena preco hinta fiyat cijena pret цена стоимость ціна
    """)
  private static let rewardWords = set(
    """
    rebate savings saving discount off rabatt nachlass descuento remise reduction sconto ersparnis
    bonus
    """)
  static let percentWords = set(
    "percent percentage pct prozent porcentaje pourcentage percentuale")
  /// Words for minor units, such as cents, in the name of an amount.
  static let minorWords = set("cent cents pence minor centimes")
  /// Names of members with the number of decimals of an amount's currency.
  static let decimals = set(
    """
    currencyminorunit minorunit fractiondigits currencyfractiondigits decimalplaces
    currencydecimals currencyexponent exponent
    """)
  static let currencies = set(
    """
    currency currencycode currencyid isocurrency pricecurrency waehrung waehrungscode moneda devise
    valuta divisa
    """)

  /// Words in the name of the price of a sale.
  static let sales = set(
    "sale special promo promotion promotional discounted aktionspreis aktion deal campaign")
  /// Words in the name of a date of a sale. It is not a date of the offer.
  static let saleDates = set("sale special promo promotion aktionspreis aktion discount")
  static let starts = set("from start starts von begin")
  static let ends = set("to until end ends bis")
  /// Names of objects with the current price, as in `price.sale.amount`.
  static let salePrices = set("sale special current now final discounted promo")
  /// Names of objects with the regular price.
  static let listPrices = set("list regular original was msrp rrp compareat before old full")

  /// Words in a member's name that show that a number may be a time.
  static let times = set(
    """
    date time timestamp ts epoch at on created updated modified published released datum zeit fecha
    data bis von ab until from start end expires expiry since
    """)

  private static let imageWords = set(
    """
    image img picture photo thumbnail thumb poster icon bild imagen foto immagine artwork cover logo
    banner bilder vignette backdrop
    """)
  static let smallImages = set("thumb thumbnail small icon logo favicon avatar mini")

  /// Names of an object that wraps the members of an item, as in `{"node": {…}}`.
  static let wrappers = set(
    """
    node attributes properties fields _source item data document product offer deal coupon entry
    """)

  /// Names of objects that describe another thing than the offer, so that a name in them is not the
  /// offer's.
  static let others = set(
    """
    store merchant retailer shop seller vendor brand supplier advertiser company author creator user
    owner contact category categories tag tags genre genres haendler markt anbieter marke hersteller
    kategorie tienda marca magasin marque vendeur negozio address location venue variants options
    images media reviews rating kriterien
    """)

  static let addresses = set("address street adresse strasse direccion indirizzo rue")
  /// Words for things that many offers share, so that a member with such a name is not an offer's
  /// name.
  static let shared = addresses.union(
    set(
      """
      city ort ciudad zip postal plz state country region phone telefon email hours language locale
      currency type kind status unit color size cursor index author creator user
      """))

  private static let offerContainers = set(
    """
    offers deals coupons products promotions promos vouchers rebates angebots angebote produkte
    gutscheine ofertas cupones cupons productos promociones offres produits bons offerte prodotti
    sconti specials
    """)
  private static let plainContainers = set(
    """
    items results entries entrys rows records list lists data listings hits docs edges artikel
    articles events content elements features objects values feed channel
    """)

  /// The fields' names, with their words joined, in order of preference.
  private static let names: [OfferField: [String: Int]] = [
    .id: """
    id guid uuid uid identifier identifiant identificador identificativo kennung key sku asin gtin
    ean upc mpn artikelnummer angebotsnummer nummer number nr slug handle code
    """,
    .name: """
    title name headline titel titulo titre titolo nombre nom nome bezeichnung ueberschrift heading
    displayname fullname longname shorttitle label caption subject produktname artikelbezeichnung
    intitule libelle denominazione nickname offer deal product item promotion promo angebot produkt
    artikel oferta producto offre produit offerta prodotto
    """,
    .description: """
    description desc beschreibung descripcion descrizione descricao descriptionhtml longdescription
    fulldescription selftext body bodyhtml contenthtml content text overview summary abstract
    excerpt zusammenfassung kurzbeschreibung shortdescription details detail about synopsis resumen
    resume sommario info blurb teaser snippet tagline subtitle
    """,
    .terms: """
    terms termsandconditions termsconditions conditions fineprint legal restrictions disclaimer tnc
    exclusions bedingungen agb zusatztext kleingedrucktes hinweis hinweise einloesebedingungen
    condiciones condizioni terminos mentions mentionslegales
    """,
    .reward: """
    reward rewardtext cashback cashbacktext currentvalue rebate saleprice promoprice
    promotionalprice discountedprice discountprice prixpromo preciooferta prezzoofferta actieprijs
    kampanjpris precopromocional specialprice dealprice offerprice angebotspreis aktionspreis
    currentprice finalprice newprice price pricetext preis precio prix prezzo prices savings
    discount discountvalue discounttext rabatt nachlass descuento remise reduction sconto ersparnis
    bonus amount betrag value wert cost minprice pricerange unitamount unitprice amountoff
    discountamount priceusd priceeur pricegbp sellingprice sellprice salesprice ourprice yourprice
    searchprice displayprice storeprice shopprice verkaufspreis endpreis bruttopreis barpreis
    precioventa preciofinal pvp prixvente prixfinal prezzofinale prezzovendita cena pris prijs
    verkoopprijs preco precofinal hinta fiyat cijena pret цена стоимость ціна 価格 价格 가격 baseprice
    regularprice listprice retailprice normalprice originalprice nettopreis rrp uvp msrp
    """,
    .imageURL: """
    image imageurl imagelink imagehref imageuri imagesrc img imgurl picture pictureurl photo
    photourl images pictures photos mainimage primaryimage featuredimage heroimage coverimage bild
    bildurl bilder imagen foto immagine posterpath poster cover artwork artworkurl thumbnail
    thumbnailurl thumb banner
    """,
    .url: """
    link htmlurl weburl url permalink weblink canonicalurl href deeplink trackinglink landingpage
    landingurl affiliateurl shareurl lien enlace adresse links webpage website site
    """,
    .retailer: """
    retailer retailername store storename merchant merchantname shop shopname seller sellername
    vendor vendorname advertiser advertisername haendler haendlername markt anbieter tienda comercio
    magasin enseigne marchand vendeur negozio venditore brand brandname marke marca marque marchio
    hersteller manufacturer supplier company companyname
    """,
    .categories: """
    categories category categoryname kategorien kategorie categorias categoria categorie producttype
    warengruppe genres genre primarygenrename department section rubrik sparte tags tag keywords
    topics topic cuisine cuisines labels
    """,
    .startsAt: """
    starts start startsat startdate startson starttime startsdate validfrom validfromdate validsince
    availablefrom begin begins begindate beginsat gueltigvon gueltigab beginn startdatum von inicio
    fechainicio desde validodesde debut datedebut datadebut validodal inizio datainizio
    effectivedate effectivefrom availabilitydate validityfrom validitystart
    """,
    .expiresAt: """
    expires expiresat expireson expiry expirydate expirationdate expiration expiredate expire
    validuntil validto validtill validthrough validthru validtodate ends end endsat enddate endson
    endtime deadline gueltigbis ablaufdatum ablauf enddatum ende bis pricevaliduntil offerexpires
    availableuntil fin fechafin hasta validohasta vence caducidad fechacaducidad datefin
    valablejusquau expirele scadenza datascadenza validofinoal fine datafine validityto validityend
    validityuntil
    """,
    .latitude: "latitude lat breitengrad geolat latitud latitudine",
    .longitude: "longitude lng lon long laengengrad geolong longitud",
  ].mapValues { text in
    let names = text.split(whereSeparator: \.isWhitespace).map(String.init)
    return Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  /// Words for what stays the same while an offer lasts.
  static let lasting = set(
    """
    brand marke marca marque manufacturer hersteller model modell modelo modele variant variante
    size groesse format weight gewicht volume inhalt pack package packaging unit einheit color colour farbe
    flavor flavour sorte edition author artist platform city ort stadt ciudad ville zip plz postal
    postcode region country branch filiale location year language
    """)
}
