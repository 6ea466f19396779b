/// The words for savings and prices beside an amount, in lower case: English, German, French, Spanish, Italian,
/// Dutch, Portuguese, Polish, the Scandinavian languages, Japanese, Chinese and Korean.
enum DealWords {
  /// Words after an amount or percentage that is saved.
  static let savingsAfter: [StaticString] = [
    "off", "discount", "cash back", "cashback", "cash-back", "back", "rebate", "mail-in rebate",
    "mail in rebate", "instant rebate", "in savings",
    "instant savings", "savings", "coupon", "voucher", "cheaper", "rabattcode", "extra-rabatt",
    "rabatt", "rabat",
    "nachlass", "preisnachlass", "sofortrabatt", "sparen", "gespart", "günstiger", "ersparnis",
    "gutschein", "reduziert", "de réduction", "de reduction", "de remise", "de rabais",
    "réduction", "remise", "d'économie", "d’économie", "d'économies", "remboursés", "remboursé",
    "remboursées", "remboursée", "offerts", "offert", "de cashback", "di cashback", "de descuento",
    "descuento", "de dcto", "dcto", "de dto", "dto", "de ahorro", "de reembolso", "de desconto",
    "desconto",
    "di sconto", "sconto", "di risparmio", "korting", "kortingscode", "kortingsbon", "goedkoper",
    "terug", "rabatu", "zniżki", "taniej", "slevy",
    "sleva", "скидка", "скидки", "オフ", "割引", "引き", "引", "還元", "キャッシュバック", "할인", "خصم",
  ]

  /// Words for `%`.
  static let percents: [StaticString] = [
    "percent", "per cent", "pct", "prozent", "pour cent", "por ciento", "per cento", "procent",
    "por cento",
  ]

  /// The words of `savingsAfter` for things that may also be sold, such as a voucher for $50.
  static let vouchers: [StaticString] = [
    "coupon", "voucher", "gutschein", "cupón", "cupom", "buono", "buono sconto",
  ]
  /// Words before a saving that is to be won.
  static let prizes: [StaticString] = [
    "win", "wins", "winner", "winners", "winning", "raffle", "sweepstakes", "sweeps", "giveaway",
    "lottery", "prize", "prizes", "gewinn", "gewinne", "gewinnen", "gewinnt", "gewinnspiel",
    "verlosung", "verlosen", "gagne", "gagnez", "gagner", "concours", "gana", "gane", "ganar",
    "sorteo", "vinci", "vincere", "vince", "concorso",
  ]

  /// Words after those of `savingsAfter` that show another meaning.
  static let otherAfter: [StaticString] = [
    "to", "road", "pain", "season", "the grid", "grid", "in stock", "on sale", "massage",
    "massager", "scratcher", "bond", "bonds", "account", "accounts", "challenge", "rate", "rates",
    "book value", "peak", "its peak", "high", "highs", "its high", "giveaway", "sweepstakes",
  ]
  /// Words before those of `savingsBefore` that make the amount the price that is left.
  static let afterwards: [StaticString] = ["after", "nach", "après", "tras", "dopo"]

  /// Words before an amount that is saved.
  static let savingsBefore: [StaticString] = [
    "save", "saving", "savings of", "savings", "take", "discount of", "discount", "rebate of",
    "rebate", "cashback", "cash back", "spare", "spart", "sparen", "spar", "rabatt von",
    "rabatt", "nachlass von", "nachlass", "ersparnis", "rabattiert um", "économisez", "economisez",
    "économie", "remise", "réduction", "rabais", "ahorra", "ahorre", "ahorro", "descuento",
    "risparmia", "risparmi", "buono sconto", "sconto", "scontato", "scontati", "sconti", "bespaar",
    "korting",
    "buono", "rimborso", "reembolso", "rebaja", "cupón", "cupom",
    "spara", "rabat", "economize", "poupe", "desconto", "oszczędź", "zniżka", "sleva", "скидка",
    "立减", "优惠", "خصم",
  ]

  static let savings = savingsAfter + savingsBefore

  /// Words between those of `savingsBefore` and the amount.
  static let fillers: [StaticString] = [
    "an extra", "an additional", "an", "a", "of", "von", "de", "del", "di", "un", "una", "van",
    "til", "på", "sie", "zusätzlich", "um", "da",
  ]
  /// Words before the highest of several savings.
  static let upTo: [StaticString] = [
    "up to", "upto", "as much as", "bis zu", "tot wel", "nawet do", "opptil", "opp til", "jusqu'à",
    "jusqu’à", "hasta un", "hasta el", "hasta", "fino a",
    "fino al", "op til", "upp till", "até", "最大", "最高",
  ]
  /// Words for a limit, and others that belong to the amount after them.
  static let limits =
    upTo + ["tot", "bis", "do", "extra", "additional", "minus"] + least + rough
  /// Words before the least of several savings.
  static let least: [StaticString] = [
    "at least", "minimum", "min.", "min", "over", "more than", "mindestens", "au moins", "al menos",
    "almeno",
  ]
  /// Words before a value that is not exact.
  static let rough: [StaticString] = [
    "under", "below", "less than", "about", "around", "roughly", "approximately", "approx.",
    "approx", "circa", "ca.", "ca", "etwa", "ungefähr", "unter", "weniger als", "environ",
    "moins de", "aprox.", "aproximadamente", "menos de", "meno di", "ongeveer", "minder dan",
  ]
  /// Words after a value that is the lowest or highest of several.
  static let openEnds: [StaticString] = [
    "and up", "& up", "and above", "and more", "or more", "or less", "und mehr", "oder mehr",
    "et plus", "ou plus", "y más", "o más", "e oltre", "o più", "of meer", "ou mais",
  ]

  /// Words between a saving and the number of things to buy for it.
  static let conditions: [StaticString] = [
    "any", "your", "the purchase of", "purchase of", "when you buy", "when you purchase",
    "when buying", "if you buy", "with purchase of", "wyb", "wub", "on", "of", "the", "for", "each",
    "beim kauf von", "sur le", "sur la", "sur", "auf den", "auf das", "auf die", "auf", "en la",
    "en el", "pour", "por la compra de", "dès", "l'achat de", "sul", "sulla", "per",
  ]

  static let numbers: [(word: StaticString, value: Int)] = [
    ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("zwei", 2),
    ("drei", 3), ("deux", 2), ("trois", 3), ("dos", 2), ("tres", 3), ("due", 2), ("tre", 3),
  ]

  /// Units after a number that is a size.
  static let units: [StaticString] = [
    "oz", "fl", "ml", "cl", "l", "g", "gr", "kg", "mg", "lb", "lbs", "cm", "mm", "m", "ft", "inch",
    "in", "ct", "count", "pk", "pack", "packs", "liter", "litre", "gb", "tb", "w", "v", "hours",
    "days", "weeks", "months", "month", "year", "years", "nights", "people", "grid", "%",
  ]

  static let ordinals: [StaticString] = [
    "2nd", "3rd", "second", "third", "2ème", "2eme", "2e", "2.", "3e", "deuxième", "zweite",
    "zweiten", "zweites", "segunda", "segundo", "2º", "2ª", "seconda", "secondo", "tweede",
    "2:a", "drugi", "druga",
  ]
  /// Words after an ordinal number that is not that of an item to buy.
  static let numbered: [StaticString] = [
    "gen", "gen.", "generation", "edition", "anniversary", "birthday", "grade", "hand",
  ]

  /// What joins the two numbers of a span or a choice.
  static let joints: [StaticString] = [
    "-", "–", "—", "/", "to", "or", "bis", "oder", "à", "ou", "a", "o", "hasta", "tot", "of",
    "til", "till", "~", "～",
  ]

  /// Words before the low end of a span, besides those for savings, limits and open prices.
  static let spanStarts: [StaticString] = [
    "get", "enjoy", "receive", "earn", "now", "between", "with", "plus", "von", "mit", "jetzt",
    "zwischen", "entre", "avec", "con", "com", "tra", "met", "tussen", "nu",
  ]

  /// Words before the price of several things.
  static let exchanges: [StaticString] = [
    "for", "für", "pour", "por", "per", "voor", "för", "za",
  ]
  /// Words before a number that belongs to the name of a thing, as in `iPhone 15 for $799`.
  static let models: [StaticString] = [
    "iphone", "ipad", "galaxy", "pixel", "playstation", "ps", "xbox", "switch", "quest", "gopro",
    "hero", "kindle", "windows", "office", "series", "watch", "macos", "fifa", "halo", "kart",
    "part", "volume", "vol.", "season", "chapter", "level", "version", "gen", "model", "mk", "no.",
    "nr.", "#",
    "size", "age", "ages", "week", "day", "zone", "channel",
  ]
  static let pricesOf: [StaticString] = [
    "for the price of", "for price of", "zum preis von", "pour le prix de", "pour le prix d'",
    "al precio de", "por el precio de", "al prezzo di", "voor de prijs van", "w cenie", "för",
  ]
  static let guests: [StaticString] = [
    "people", "person", "persons", "guests", "adults", "nights", "days", "weeks", "hours", "years",
    "personen", "nächte", "tage", "personnes", "nuits", "jours", "personas", "noches", "night",
    "day", "week", "hour", "year", "month", "months", "guest", "adult", "nacht", "nuit", "noche",
  ]
  static let free: [StaticString] = [
    "free", "for free", "gratis", "kostenlos", "geschenkt", "offert", "offerte", "offerts",
    "gratuit", "gratuite", "gratuito", "omaggio", "grátis",
  ]
  static let halves: [StaticString] = [
    "half price", "half-price", "half off", "half-off", "zum halben preis", "halber preis",
    "à moitié prix", "moitié prix",
    "a mitad de precio", "a metà prezzo", "halve prijs",
  ]
  static let deliveries: [StaticString] = [
    "free shipping", "free delivery", "free postage", "gratis versand", "gratisversand",
    "kostenloser versand", "kostenfreier versand", "versandkostenfrei", "livraison gratuite",
    "livraison offerte", "envío gratis", "envio gratis", "envío gratuito", "frete grátis",
    "spedizione gratuita", "spedizione gratis", "gratis verzending", "gratis bezorging",
    "gratis levering", "darmowa dostawa", "fri frakt", "gratis frakt", "gratis fragt",
  ]
  static let exchangeVerbs: [(take: StaticString, give: StaticString)] = [
    ("buy", "get"), ("buy", "pay"), ("buy", "pay for"), ("kaufe", "zahle"), ("kauf", "zahl"),
    ("kaufe", "erhalte"), ("nimm", "zahl"), ("nimm", "zahle"), ("nimm", "bezahle"),
    ("lleva", "paga"), ("llévate", "paga"), ("compra", "paga"), ("compra", "lleva"),
    ("prendi", "paghi"), ("compra", "paghi"), ("leve", "pague"), ("compre", "leve"),
    ("compre", "pague"), ("neem", "betaal"), ("koop", "betaal"), ("achetez", "recevez"),
    ("kup", "zapłać za"), ("spend", "get"), ("buy", "save"),
  ]
  /// The words after the two numbers of an exchange, as in `3 halen 2 betalen`.
  static let exchangesAfter: [(take: StaticString, give: StaticString)] = [
    ("halen", "betalen"), ("acheté", "offert"), ("achetés", "offert"), ("achetés", "offerts"),
    ("achetée", "offerte"), ("achetées", "offerte"), ("achetées", "offertes"),
  ]

  /// Words before a price, which do not change it.
  static let prices: [StaticString] = [
    "only", "just", "now", "for", "price", "today", "nur", "jetzt", "für", "preis", "seulement",
    "pour", "prix", "solo", "sólo", "ahora", "por", "precio", "soli", "prezzo", "voor", "nu",
    "slechts", "för",
    "endast", "za", "tylko", "cena", "@", "sale", "deal",
  ]
  /// Words before the lowest of several prices.
  static let openPrices: [StaticString] = [
    "starting at", "starting from", "as low as", "from", "bereits ab", "schon ab", "ab",
    "à partir de", "dès", "a partir de", "desde", "a partire da", "da", "vanaf", "från", "fra",
    "od",
  ]
  /// Words before an earlier or another price.
  static let oldPrices: [StaticString] = [
    "was", "were", "reg", "reg.", "regular", "regularly", "orig", "orig.", "originally", "list",
    "msrp", "rrp", "retail", "instead of", "normally", "usually", "statt", "uvp", "vorher",
    "au lieu de", "avant", "antes", "invece di", "anziché", "van", "worth", "valued at", "over",
    "orders over", "spend", "ab einem bestellwert von", "tax", "plus", "shipping",
  ]
  /// Words between a price and an earlier one.
  static let pricesAfter: [StaticString] = [
    "statt", "anstatt", "instead of", "au lieu de", "en lugar de", "invece di", "anziché",
    "was", "reg", "reg.", "in plaats van",
  ]
  /// Words after an amount that is no price.
  static let notPrices: [StaticString] = [
    "value", "worth", "gift", "credit", "off", "million", "billion", "in", "minimum", "fee", "fine",
    "reward", "bonus",
  ]
  /// Words for the costs of a delivery.
  static let deliveryCosts: [StaticString] = [
    "delivery", "shipping", "postage", "freight", "p&p", "s&h", "versand", "versandkosten",
    "livraison", "frais de port", "verzendkosten",
  ]
  /// Words behind a price at the end of a title: how the thing is delivered, and by whom it is sold.
  static let placesAfter: [StaticString] = [
    "delivered", "shipped", "posted", "w/", "at", "via", "bei", "chez", "& free", "incl. delivery",
    "incl. shipping", "inkl. versand", "inkl. vsk", "versandkostenfrei",
  ]
  /// Words before a figure in a headline that is no price.
  static let figures: [StaticString] = [
    "tops", "below", "above", "over", "under", "hits", "raises", "raised", "than", "least", "past",
    "near", "nearly", "by", "to", "of", "about", "around", "almost", "reaches", "pays", "paid",
    "fined", "in", "a", "and", "&", "+", "gets", "lost", "loses", "won", "wins", "sold", "at",
    "up to", "bis", "von", "auf", "um", "de", "di", "à", "con", "mit", "with", "save", "saves",
    "saved", "extra", "get", "on", "earn",
  ]
  /// Units that make the amount or saving before them a rate; others follow `per`.
  static let rates: [StaticString] = [
    "a gallon", "a month", "a year", "a week", "a day", "a night", "a pound", "a lb", "a litre",
    "a liter", "a head", "an hour", "pro person", "pro liter", "pro kg", "pro kilo", "pro monat",
    "pro nacht", "pro tag", "pro jahr", "pro ticket", "je liter", "je kg", "je person",
    "je artikel",
    "par mois", "par personne", "par litre", "par kg", "par kilo", "par nuit", "par an", "par jour",
    "par semaine", "par article", "le kilo", "le litre", "au litre", "au kilo", "por persona",
    "por noche", "por mes", "por litro", "por kilo", "por kg", "por día", "al mes", "al año",
    "el kilo", "el litro", "al kg", "al mese", "al litro", "al giorno", "a persona", "a notte",
  ]
  /// Units before the price of one of them, as in `kg 4,99 €`.
  static let measures: [StaticString] = ["kg", "kilo", "lb", "oz", "liter", "litre", "litro"]
  /// Words after `per` that are no unit: those for a purchase, and Italian and German ones.
  static let occasions: [StaticString] = [
    "order", "purchase", "transaction", "customer", "household", "visit", "te", "tutti", "tutto",
    "ordini", "acquisti", "il", "la", "i", "gli", "le", "un", "una", "chi", "app", "post", "code",
  ]
  /// Words after the price of one thing, which do not change it.
  static let each: [StaticString] = [
    "each", "ea", "ea.", "pro stück", "je stück", "la pièce", "l'unité", "cada uno", "la unidad",
    "apiece",
  ]

  static let bogos: [StaticString] = ["bogof", "bogo", "b1g1", "b2g1", "bogoho"]
  /// Whether a text is nothing but words for a free delivery.
  static func isDelivery(_ text: String) -> Bool {
    let low = text.lowercased()
    return deliveries.contains { low == $0.description }
  }

  /// For each byte the bytes that may follow it at the start of a reward without an amount before it, by their last
  /// six bits. Most words have another start, so that lists need not be searched for them.
  private static let starts: [UInt64] = {
    var starts = [UInt64](repeating: 0, count: 256)
    let words = bogos + halves + deliveries + exchangeVerbs.map(\.take) + numbers.map(\.word)
    for word in words { starts[Int(word.utf8Start[0])] |= 1 << UInt64(word.utf8Start[1] & 63) }
    return starts
  }()

  /// Whether a reward without an amount before it may begin with two bytes.
  static func isStart(_ first: UInt8, _ second: UInt8) -> Bool {
    starts[Int(first)] >> UInt64(second & 63) & 1 == 1
  }
}
