import OffersCore

/// The names of an offer's fields in English, German, Spanish, French and Italian, the usual ones in
/// other languages, and the words that decide between members of similar names.
enum FieldNames {
  /// Returns how well a member's name fits a field: 0 is best; nil when it does not fit.
  ///
  /// - Parameters:
  ///   - words: the words of the member's name, or of the object of which it is the main value.
  ///   - field: the field that might take the member's value.
  static func rank(_ words: KeyWords, as field: OfferField) -> Int? {
    ownRank(words, as: field) ?? rankAmongWords(words, as: field)
  }

  private static func ownRank(_ words: KeyWords, as field: OfferField) -> Int? {
    guard let names = names[field] else { return nil }
    if let place = names[words.joined] { return place }
    // In `offer_title`, `dealPrice` and `product-image`, the field's name follows a word for the
    // offer itself; `price_in_cents` and `price_incl_tax` say more about the amount.
    var rest = words.words
    if rest.count > 1, subjects.contains(rest[0]) { rest.removeFirst() }
    // `Id product` is `product id`.
    if field == .id, rest.count > 1, subjects.contains(rest[rest.count - 1]) {
      rest.removeLast()
      while rest.count > 1, fillers.contains(rest[rest.count - 1]) { rest.removeLast() }
    }
    if field == .reward {
      rest.removeAll(where: amountWords.contains)
      // `reward_value` is the reward.
      if rest.count > 1, valueWords.contains(rest[rest.count - 1]) { rest.removeLast() }
    }
    if rest.count < words.words.count, let place = names[rest.joined()] {
      // The price with the tax, which people pay, comes before a plain one, and that without it last.
      if field != .reward { return place + 1 }
      return words.has(oneOf: netWords)
        ? place + 60 : max(0, words.has(oneOf: taxWords) ? place - 1 : place + 1)
    }
    switch field {
    case .imageURL: return words.has(oneOf: imageWords) ? 40 : nil
    case .url: return ["url", "link", "href"].contains(words.words.last) ? 60 : nil
    case .startsAt, .expiresAt:
      // `active_from`, `date_to` and `endTs`.
      return names[words.words.filter { !dateWords.contains($0) }.joined()].map { $0 + 60 }
    default: return nil
    }
  }

  /// The rank from which on names have the name of a field among other words.
  static let qualifiedRank = 200

  /// Ranks a name in which a field's name stands among words that say no more about the value, behind all other
  /// names: `Prix de vente TTC`, `Artikelnummer im Shop`, `Produktbeschreibung`. Any other word around it, as in
  /// `Shipping price`, may make it the name of another value.
  private static func rankAmongWords(_ words: KeyWords, as field: OfferField) -> Int? {
    guard let names = names[field], let qualifiers = qualifiers[field], words.words.count <= 8
    else { return nil }
    let kept = words.words.filter { word in
      !fillers.contains(word) && !things.contains(word) && !qualifiers.contains(word)
        && !(field == .reward && amountWords.contains(word))
    }.map { names[$0] == nil ? withoutThing($0, names) : $0 }
    if let place = names[kept.joined()] { return qualifiedRank + place }
    // `Hersteller / Marke` has two names.
    let places = kept.compactMap { names[$0] }
    guard field != .reward, places.count == kept.count else { return nil }
    return places.min().map { qualifiedRank + $0 }
  }

  /// A compound such as `produktbeschreibung` without the word for the offer itself, if the rest is a name.
  private static func withoutThing(_ word: String, _ names: [String: Int]) -> String {
    let rests = things.filter(word.hasPrefix).map { String(word.dropFirst($0.count)) }
    return rests.filter { $0.count > 2 && names[$0] != nil }.min() ?? word
  }

  /// Whether a name is that of a code.
  static func isCode(_ words: KeyWords) -> Bool {
    words.words.contains { $0.hasSuffix("code") || $0.hasSuffix("codes") || codes.contains($0) }
  }

  /// Whether a name says that the user pays the value.
  static func isPrice(_ words: KeyWords) -> Bool {
    words.joined.hasPrefix("unitamount") || words.has(oneOf: payWords)
      || barePrices.contains(words.joined)
      || priceWords.contains { words.joined.contains($0) }
  }

  /// Whether a name says that the value is paid to the user, or deducted from a price.
  static func isReward(_ words: KeyWords) -> Bool {
    words.has(oneOf: rewardWords) || words.has(oneOf: percentWords)
      || ["reward", "cashback"].contains { words.joined.contains($0) }
  }

  /// Whether a name says that the value is a percentage, as `discount_percent` and `cashback_rate` do.
  static func isPercentage(_ words: KeyWords) -> Bool {
    words.has(oneOf: percentWords) || words.words.last == "rate" && isReward(words)
  }

  /// Whether a name is that of a text before a price, as `pre_price_text`, or behind it, as `price_suffix`.
  ///
  /// - Parameter owner: the words of the object that the member is in, unless it is the item.
  static func isAffix(_ words: KeyWords, in owner: KeyWords?, isBefore: Bool) -> Bool {
    words.has(oneOf: isBefore ? ["pre", "prefix"] : ["post", "suffix"])
      && !words.has(oneOf: taxWords)
      && [words, owner].compactMap(\.self).contains { isPrice($0) || isReward($0) }
  }

  /// Whether a name announces a payment or a discount, so that texts without a number are rewards.
  static func isPromise(_ words: KeyWords) -> Bool {
    ["reward", "cashback", "discount", "rabatt", "descuento", "remise", "sconto", "savings"]
      .contains { words.joined.hasPrefix($0) }
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
    case .reward:
      amounts.contains(words.words.filter { !amountWords.contains($0) }.joined())
    default: carriers.contains(words.joined)
    }
  }

  // MARK: Words

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
  private static let subjects = set(
    """
    offer deal product item coupon promo promotion voucher angebot angebots produkt artikel oferta
    producto offre produit offerta prodotto article event listing gutschein
    """)

  /// Words for the offer itself, also in other forms than as the first word of a name.
  private static let things = subjects.union(
    set(
      """
      offers products items articles produkts produkte produktes artikels produits artikelen
      productos prodotti produktu produktow towaru товара
      """))
  /// Small words between the words of a name.
  private static let fillers = set(
    """
    of the a an in for im am des der die das dem den du de d la le les l el los las del della dello
    dell di da do dos van het voor pour par para zu zum zur vers
    """)
  /// Words beside the name of a field that do not make it another value's.
  private static let qualifiers: [OfferField: Set<String>] = [
    .id: set("unique variant merchant shop store own internal intern interne main"),
    .name: set("full short long display main public complete complet court"),
    .description: set(
      """
      short long full courte longue kurz kurze lang lange corta larga breve lunga complete html
      plain main detailed detaillee detallada dettagliata korte
      """),
    .terms: set("use utilisation usage uso nutzung general generales generali"),
    .reward: set(
      """
      variant shop store online web current actual aktueller actuel actuelle attuale huidige unser
      our notre nuestro nostro final public display
      """),
    .url: set("page seite pagina site web direct full affiliate tracking public detail details"),
    .retailer: set("name nom nombre nome nazwa naam official"),
    .categories: set(
      """
      merchant shop store main primary path tree full default defaut defecto predefinita principal
      principale haupt name nom nombre nome
      """),
    .startsAt: periodWords, .expiresAt: periodWords,
  ]

  /// Words in the name of a price that has a tax in it.
  private static let taxWords = set(
    """
    tax taxes vat gst incl inc including inclusive included with gross brutto inkl mwst ust ttc tva
    avec taxe iva con ivato incluido btw moms dph bruto
    """)
  /// Words in the name of a price that has none in it.
  private static let netWords = set(
    "excl ex excluding exclusive without net netto exkl ohne zzgl ht hors sin senza neto")
  static let percentWords = set(
    "percent percentage pct prozent porcentaje pourcentage percentuale")
  /// Words for minor units, such as cents, in the name of an amount.
  static let minorWords = set("cent cents pence minor centimes")
  /// Words that say how an amount is meant, and not what it is.
  private static let amountWords = taxWords.union(netWords).union(percentWords).union(minorWords)
    .union(["money", "in"])

  /// Words at the end of the name of an amount.
  private static let valueWords = set("value amount rate betrag wert")

  private static let priceWords = [
    "price", "pricing", "preis", "precio", "prezzo", "価格", "价格", "가격",
  ]
  /// Names of a price that say how it is meant only.
  private static let barePrices = set("now was jetzt statt brutto netto")
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
  /// Names of members with the number of decimals of an amount's currency.
  static let decimals = set(
    """
    currencyminorunit minorunit fractiondigits currencyfractiondigits decimalplaces
    currencydecimals currencyexponent exponent
    """)
  /// Words in the name of a member that says whether an amount is a percentage.
  static let amountKinds = set("type kind unit units mode art typ einheit tipo unite")
  static let currencies = set(
    """
    currency currencycode currencyid isocurrency pricecurrency waehrung waehrungscode moneda devise
    valuta divisa waluta moeda валюта
    """)

  /// Words in the name of a member with a URL or a path, besides the names of links and images.
  static let paths = set("path pfad slug uri src source file permalink endpoint")

  /// Words in the name of the price of a sale.
  static let sales = set(
    "sale special promo promotion promotional discounted aktionspreis aktion deal campaign")
  /// Words in the name of a date of a sale. It is not a date of the offer.
  static let saleDates = set("sale special promo promotion aktionspreis aktion discount")
  static let starts = set("from start starts von begin")
  static let ends = set("to until end ends bis")
  /// Words in the name of the regular price.
  static let listPrices = set("list regular original was msrp rrp compareat before old full retail")

  /// Words in a member's name that show that a number may be a time.
  static let times = set(
    """
    date time timestamp ts epoch at on created updated modified published released datum zeit fecha
    data bis von ab until from start end expires expiry since
    """)

  /// Words beside one for a begin or an end that do not change it.
  private static let dateWords = set(
    """
    date datetime time timestamp ts dt day at on datum fecha data valid active live available use
    redeem geldig gaeller wazne
    """)
  private static let periodWords = dateWords.union(
    set("validite validez validita gueltigkeit validade"))

  private static let imageWords = set(
    """
    image img picture photo thumbnail thumb poster icon bild imagen foto immagine artwork cover logo
    banner bilder vignette backdrop
    """)
  private static let codes = set("kod codigo codigos codice codici код")
  /// Words in the name of an id that people know the product by.
  static let productCodes = codes.union(
    set("code sku ean gtin upc mpn asin artikelnummer reference referenz referencia indeks артикул")
  )
  static let smallImages = set("thumb thumbnail small icon logo favicon avatar mini")

  /// Names of an object that wraps the members of an item, as in `{"node": {…}}`.
  static let wrappers = set(
    """
    node attributes properties fields _source item data document product offer deal coupon entry
    """)

  /// Names of objects that describe another thing than the offer, so that a name in them is not the
  /// offer's.
  static let otherThings = set(
    """
    store merchant retailer shop seller vendor brand supplier advertiser company author creator user
    owner contact category categories tag tags genre genres haendler markt anbieter marke hersteller
    kategorie tienda marca magasin marque vendeur negozio address location venue variants options
    images media reviews rating kriterien
    """)

  /// Names of objects with the costs of something beside the offer.
  static let fees = set(
    """
    shipping delivery postage versand lieferung livraison envio spedizione verzending deposit pfand
    """)

  static let addresses = set("address street adresse strasse direccion indirizzo rue")
  /// Words for values that many offers share, so that they are not an offer's name.
  static let shared = addresses.union(
    set(
      """
      city ort ciudad zip postal plz state country region phone telefon email hours language locale
      currency type kind status unit color size cursor index author creator user
      """))
  /// Words for values that stay the same while an offer lasts.
  static let lasting = set(
    """
    brand marke marca marque manufacturer hersteller model modell modelo modele variant variante
    size groesse format weight gewicht volume inhalt pack package packaging unit einheit color colour farbe
    flavor flavour sorte edition author artist platform city ort stadt ciudad ville zip plz postal
    postcode region country branch filiale location year language
    """)

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

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  /// The fields' names, with their words joined, in order of preference.
  private static let names: [OfferField: [String: Int]] = [
    .id: """
    id guid uuid uid identifier identifiant identificador identificativo kennung key sku awproductid
    merchantproductid asin gtin ean upc mpn artikelnummer itemno itemnumber productno articleno artno angebotsnummer nummer number nr slug
    handle code
    reference referenz referencia ref codigo codice kod indeks артикул
    """,
    .name: """
    title name headline titel titulo titre titolo nombre nom nome bezeichnung ueberschrift heading
    displayname fullname longname shorttitle label caption subject produktname artikelbezeichnung
    intitule libelle denominazione nickname offer deal product item promotion promo angebot produkt
    artikel oferta producto offre produit offerta prodotto
    productnaam benaemning nazwa название наименование nazev
    """,
    .description: """
    description desc beschreibung descripcion descrizione descricao descriptionhtml longdescription
    fulldescription selftext body bodyhtml contenthtml content text overview summary abstract
    excerpt zusammenfassung kurzbeschreibung shortdescription details detail about synopsis resumen
    resume sommario info blurb teaser snippet tagline subtitle omschrijving descriptif
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
    pricetext currentprice finalprice newprice price preis precio prix prezzo prices savings
    discount discountvalue discounttext percentoff percentageoff percent percentage rabatt nachlass descuento remise reduction sconto ersparnis
    bonus amount betrag value wert cost minprice pricerange unitamount unitprice amountoff
    discountamount priceusd priceeur pricegbp sellingprice sellprice salesprice ourprice yourprice
    searchprice displayprice storeprice shopprice verkaufspreis endpreis bruttopreis barpreis
    precioventa preciofinal pvp prixvente prixfinal prezzofinale prezzovendita cena pris prijs
    verkoopprijs preco precofinal hinta fiyat cijena pret цена стоимость ціна 価格 价格 가격 baseprice
    nowprice wasprice fullprice regularprice listprice retailprice normalprice originalprice nettopreis rrp uvp msrp
    now jetzt brutto
    """,
    .imageURL: """
    image imageurl imagelink imagehref imageuri imagesrc img imgurl picture pictureurl photo
    photourl images pictures photos mainimage primaryimage featuredimage heroimage coverimage bild
    bildurl bilder imagen foto immagine posterpath poster cover artwork artworkurl thumbnail
    thumbnailurl thumb banner
    imagem afbeelding zdjecie obrazek изображение фото
    """,
    .url: """
    link htmlurl weburl url permalink weblink canonicalurl href deeplink trackinglink landingpage
    landingurl affiliateurl buyurl awdeeplink shareurl lien enlace adresse links webpage website site
    laenk lenke odkaz ссылка
    """,
    .retailer: """
    retailer retailername store storename merchant merchantname shop shopname seller sellername
    vendor vendorname advertiser advertisername programname haendler haendlername markt anbieter tienda comercio
    magasin enseigne marchand vendeur negozio venditore brand brandname marke marca marque marchio
    hersteller manufacturer supplier company companyname
    herstellername markenname merk varumaerke producent производитель бренд
    """,
    .categories: """
    categories category categoryname advertisercategory kategorien kategorie categorias categoria categorie producttype googleproductcategory
    merchantcategory warengruppe genres genre primarygenrename department section rubrik sparte tags tag keywords
    topics topic cuisine cuisines labels kategoria категория
    """,
    .startsAt: """
    starts start startsat startdate startson starttime startsdate validfrom validfromdate validsince
    availablefrom begin begins begindate beginsat gueltigvon gueltigab beginn startdatum von inicio
    fechainicio desde validodesde debut datedebut datadebut validodal inizio datainizio
    effectivedate effectivefrom availabilitydate validityfrom validitystart from since startdatetime
    startingdate startingat dal
    begindatum vanaf geldigvan od
    """,
    .expiresAt: """
    expires expiresat expireson expiry expirydate expirationdate expiration expiredate expire
    validuntil validto validtill validthrough validthru validtodate ends end endsat enddate endson
    endtime deadline gueltigbis ablaufdatum ablauf enddatum ende bis pricevaliduntil offerexpires
    availableuntil fin fechafin hasta validohasta vence caducidad fechacaducidad datefin
    valablejusquau expirele scadenza datascadenza validofinoal fine datafine validityto validityend
    validityuntil to till until through thru validuntildate validtodate enddatetime expirydatetime
    expirytime expiresdate endingdate endingat lastday closes closesat bisdatum al exp useby redeemby bestbefore
    gooduntil finish validity validupto
    einddatum slutdatum tot waznosc
    """,
    .latitude: "latitude lat breitengrad geolat latitud latitudine",
    .longitude: "longitude lng lon long laengengrad geolong longitud",
  ].mapValues { text in
    let names = text.split(whereSeparator: \.isWhitespace).map(String.init)
    return Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }
}

/// The words that a member's name is made of, in whatever way it joins them.
struct KeyWords {
  /// The words in lower case, with letters transliterated to ASCII where possible: `gültig_bis` is
  /// gueltig, bis.
  let words: [String]
  /// The number at the end, as in `image_640`; nil for none.
  let number: Int?
  /// The words without separators.
  let joined: String

  /// The most characters of a key that are divided into words; those behind them are ignored.
  private static let limit = 100

  /// - Parameter key: a JSON key or an XML name; `@`, `$` and a namespace prefix are ignored.
  init(_ key: String) {
    let name = Self.local(key).prefix(Self.limit)
    words = Self.parts(of: name).flatMap { $0.split { !$0.isLetter } }.map { word in
      word.lowercased().map { Self.spellings[$0] ?? String($0) }.joined()
    }
    joined = words.joined()
    let end = name.lastIndex(where: \.isLetter) ?? name.startIndex
    number = Int(String(name[end...].filter(\.isNumber)))
  }

  /// Whether one of the words is in a set.
  func has(oneOf set: Set<String>) -> Bool { words.contains(where: set.contains) }

  /// Divides a name at its separators and at the capitals of camel case.
  private static func parts(of name: Substring) -> [String] {
    var parts = [""]
    var last: Character?
    var isBehindAcronym = false
    for (index, character) in zip(name.indices, name) {
      let next = name[index...].dropFirst().first
      let isStart =
        character.isUppercase
        && (last?.isLowercase == true || last?.isUppercase == true && next?.isLowercase == true)
      let isPart = character.isLetter || character.isNumber
      // The last capital of `URLproduit` is one of the acronym.
      let acronym = parts[parts.count - 1] + String(character)
      let endsAcronym =
        isStart && last?.isUppercase == true && acronyms.contains(acronym.lowercased())
      if !isPart || isStart && !endsAcronym || isBehindAcronym { parts.append("") }
      if isPart { parts[parts.count - 1].append(character) }
      isBehindAcronym = endsAcronym
      last = character
    }
    return parts.filter { !$0.isEmpty }
  }

  /// A key without its namespace prefix.
  private static func local(_ key: String) -> Substring {
    key.split(scalar: ":").last ?? key[...]
  }

  private static let spellings: [Character: String] = [
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "á": "a", "à": "a", "â": "a", "ã": "a", "å": "a",
    "ç": "c", "é": "e", "è": "e", "ê": "e", "ë": "e", "í": "i", "ì": "i", "î": "i", "ï": "i",
    "ñ": "n", "ó": "o", "ò": "o", "ô": "o", "õ": "o", "ú": "u", "ù": "u", "û": "u", "ą": "a",
    "ć": "c", "č": "c", "ę": "e", "ě": "e", "ł": "l", "ń": "n", "ř": "r", "ś": "s", "š": "s",
    "ź": "z", "ż": "z", "ž": "z", "ý": "y", "ů": "u", "ø": "o",
  ]

  /// The name as a label, such as `Vote average` for `vote_average`.
  static func label(for key: String) -> String {
    let shown = parts(of: local(key).prefix(limit + 1)).enumerated().map { index, word -> String in
      let lower = word.lowercased()
      if acronyms.contains(lower) { return word.uppercased() }
      return index == 0 ? lower.prefix(1).uppercased() + lower.dropFirst() : lower
    }
    return shown.joined(separator: " ")
  }

  private static let acronyms: Set = [
    "asin", "ean", "gtin", "id", "isbn", "mpn", "sku", "upc", "uri", "url", "usd", "eur", "gbp",
    "vat", "pin", "uv", "imdb",
  ]
}
