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
    /// Whether it is `ends`, `expires` or the like, so that a weekday before it begins no span.
    var isVerb: Bool { word.utf8Start[0] == 0x65 }
  }

  /// Longer words come before those that they begin with.
  private static let triggers: [Trigger] =
    [
      "expires", "expired", "expire", "expiring", "expiry", "expiration", "exp", "exps", "ends",
      "ending", "end date", "valid until", "valid through", "valid thru", "valid till",
      "valid to", "valid til", "good through", "good thru", "until", "till", "'til", "til", "bis",
      "endet", "läuft ab", "ablauf", "ablaufdatum", "jusqu'au", "jusqu’au", "jusqu'à", "jusqu’à",
      "termine", "fin", "hasta", "caduca", "vence", "termina", "finaliza", "expira", "fino al",
      "fino a", "scade", "scadenza", "entro", "t/m", "tot en met", "tot", "verloopt", "eindigt",
      "até", "gäller till", "t.o.m.", "til og med", "redeem by", "use by", "deadline", "through",
      "thru", "last day", "final day", "letzter tag", "dernier jour", "último día", "último dia",
      "ultimo giorno", "laatste dag", "vigencia", "läuft am",
    ].map { Trigger(word: $0) }
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
  /// Words for the day of publication and the one after it.
  static let today: [StaticString] = [
    "today", "tonight", "heute", "aujourd'hui", "aujourd’hui", "ce soir", "hoy", "oggi", "vandaag",
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
