/// The words for ends beside a date, in lower case: English, German, French, Spanish, Italian, Dutch, Portuguese,
/// the Scandinavian languages, and Polish with a date of numbers.
enum EndWords {
  /// A word for an end.
  struct Trigger {
    let word: StaticString
    /// Whether a weekday or `today` may follow.
    var isStrong = true
    /// Whether it means the day of publication without a word after it.
    var isToday = false
    /// Whether only a span of two dates may follow.
    var isSpan = false
    /// Whether it is `until` or the like, which stands in any prose.
    var isPreposition = false
    /// Whether it also tells the end of a week or year that a text is about.
    var isOfPeriod = false
    /// Whether it is `ends`, `expires` or the like, so that a weekday before it begins no span.
    var isVerb: Bool { word.utf8Start[0] == 0x65 }
  }

  /// Longer words come before those that they begin with.
  private static let triggers: [Trigger] =
    [
      "expires", "expired", "expire", "expiring", "expiry", "expiration", "exp", "exps", "ends",
      "end date", "valid until", "valid through", "valid thru", "valid till",
      "valid to", "valid til", "good through", "good thru", "endet", "läuft ab", "ablauf",
      "ablaufdatum", "fin", "caduca", "vence", "expira", "scade", "scadenza", "entro", "verloopt",
      "gäller till", "redeem by", "use by", "deadline",
      "last day", "final day", "letzter tag", "dernier jour", "último día", "último dia",
      "ultimo giorno", "laatste dag", "vigencia", "läuft am",
    ].map { Trigger(word: $0) }
    + [
      "until", "till", "'til", "til og med", "til", "bis", "jusqu'au", "jusqu’au", "jusqu'à",
      "jusqu’à", "hasta", "fino al", "fino ad", "fino a", "t/m", "tot en met", "tot", "até",
      "t.o.m.", "through", "thru",
    ].map { Trigger(word: $0, isPreposition: true) }
    + [
      "ending", "termine", "termina", "finaliza", "eindigt",
    ].map { Trigger(word: $0, isOfPeriod: true) }
    + [
      "by", "before", "closes", "closing", "avant le", "avant", "antes del", "antes de",
      "antes do", "prima del", "ważne do", "ważny do", "do dnia",
    ].map { Trigger(word: $0, isStrong: false) }
    + [
      "today only", "only today", "valid today", "nur heute", "nur noch heute",
      "alleen vandaag", "solo hoy", "sólo hoy", "solo por hoy", "solo oggi", "só hoje",
      "somente hoje", "apenas hoje", "uniquement aujourd'hui", "seulement aujourd'hui",
      "aujourd'hui seulement", "aujourd'hui uniquement",
    ].map { Trigger(word: $0, isToday: true) }
    + [
      "valid from", "valid", "good", "from", "gültig vom", "gültig von", "gültig", "vom", "du",
      "valable du", "valable", "del", "válido del", "válido", "dal", "van",
    ].map { Trigger(word: $0, isStrong: false, isSpan: true) }

  /// The words that begin with each byte.
  static let triggersByStart: [[Trigger]] = (0..<256).map { byte in
    triggers.filter { Int($0.word.utf8Start[0]) == byte }
  }

  /// Words before a preposition for an end that make a date behind it the end of an offer.
  static let marks: [StaticString] = [
    "valid", "good", "only", "sale", "offer", "gültig", "nur", "nur noch", "angebot", "valable",
    "valables", "seulement", "offre", "válido", "válida", "solo", "sólo", "oferta", "valido",
    "valida", "offerta", "geldig", "alleen", "aanbieding", "só", "apenas", "gäller",
  ]
  /// Words for a period before one for its end.
  static let periods: [StaticString] = [
    "week", "weekend", "month", "months", "quarter", "quarters", "year", "years", "period",
    "season", "semester", "semana que", "mes que", "trimestre que", "año que", "ejercicio que",
    "settimana che", "mese che", "trimestre che", "anno che", "semaine qui se", "mois qui se",
    "trimestre qui se", "année qui se", "week die",
  ]

  /// Words between one for an end and the date.
  static let fillers: [StaticString] = [
    "on", "the", "date", "date:", "am", "an", "zum", "dem", "den", "einschließlich", "inkl.",
    "inkl",
    "le", "el", "il", "al", "día", "dia", "at", "midnight on", "midnight", "this", "diesen",
    "kommenden", "ce", "este", "questa", "coming", "de validité", "em", "lo", "au", "zu", "op",
    "is", "ist", "est", "es", "è", "hasta", "till",
  ]
  /// Words between the two dates of a span.
  static let joints: [StaticString] = [
    "-", "–", "—", "to", "through", "thru", "until", "till", "bis zum", "bis", "au", "al", "a",
    "t/m",
    "e il", "and",
  ]
  /// Words for the evening and the day of publication, and the day after it.
  static let tonight: [StaticString] = [
    "tonight", "heute abend", "ce soir", "esta noche", "stasera", "vanavond",
  ]
  static let today: [StaticString] = [
    "today", "heute", "aujourd'hui", "aujourd’hui", "hoy", "oggi", "vandaag",
  ]
  static let tomorrow: [StaticString] = [
    "tomorrow", "morgen", "demain", "mañana", "domani",
  ]
  /// Words before a number of days, as in `ends in 3 days`.
  static let counts: [StaticString] = ["in", "dans", "en", "em", "tra", "over"]
  static let days: [StaticString] = [
    "days", "day", "tagen", "tag", "jours", "jour", "días", "día", "giorni", "giorno", "dagen",
    "dag", "dias", "dia",
  ]
  /// Words behind a number of days that count from another day than that of publication.
  static let starts: [StaticString] = [
    "of", "from", "after", "nach", "ab", "après", "de", "después", "dopo", "na", "após",
  ]
  /// Words before one for an end that make it another date.
  static let negations: [StaticString] = [
    "not", "nicht", "no", "closed", "unavailable", "geschlossen", "never", "isn't", "isn’t",
    "won't",
    "won’t", "fermé", "cerrado", "delayed", "postponed",
  ]
  /// Words before `by` and the like that make the date that of an arrival or a release.
  static let arrivals: [StaticString] = [
    "delivery", "delivered", "deliver", "arrive", "arrives", "arriving", "ship", "ships", "shipped",
    "shipping", "travel", "book", "get it", "receive", "released", "written", "made", "livraison",
    "livré", "livrée", "livrés", "entrega", "entregado", "consegna",
  ]
}
