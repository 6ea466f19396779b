import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Ends that a title states")
struct EndTextTests {
  /// November 26, 2026, a Thursday.
  private static let thursday = CivilDay(year: 2026, month: 11, day: 26)?.number

  private static func read(
    _ text: String, order: DateOrder? = nil, published: Int64?, isTitle: Bool = true
  ) -> String {
    switch EndText.find(in: text, order: order, published: published, isTitle: isTitle) {
    case .none: "none"
    case .several: "several"
    case .one(let date, _): DateParser.write(date.seconds, isWholeDay: date.isWholeDay)
    }
  }

  static let ends: [(text: String, reading: String)] = [
    ("50 % off everything, valid until 5 December", "2026-12-05"),
    ("Save £3 on gin - ends Sunday", "2026-11-29"),
    ("Save up to 40% on toys through December 24, 2026", "2026-12-24"),
    ("5 € Rabatt auf alles, gültig bis 31.12.2026", "2026-12-31"),
    ("-20 % auf alles bis 5. Dezember", "2026-12-05"),
    ("Spare 3€ bis Sonntag", "2026-11-29"),
    ("-30% sur les jouets jusqu'au 5 décembre 2026", "2026-12-05"),
    ("5,50 € de réduction, expire le 05/12/2026", "2026-12-05"),
    ("Ahorra 3 € hasta el 5 de diciembre de 2026", "2026-12-05"),
    ("20% de descuento hasta el domingo", "2026-11-29"),
    ("Sconto del 20% fino al 31/12/2026", "2026-12-31"),
    ("1+1 gratis op alles t/m 31-12-2026", "2026-12-31"),
    ("25% korting tot 5 december 2026", "2026-12-05"),
    ("500円引き 12月31日まで", "2026-12-31"),
    ("全品２０％OFF 2026年12月31日まで", "2026-12-31"),
    ("[$3 off] Cheerios *exp. Dec 5*", "2026-12-05"),
    ("$1,000 off laptops expires 2026-12-05", "2026-12-05"),
    ("Rs. 500 off valid till 5 Dec 2026", "2026-12-05"),
    ("Valid Nov 1 - Nov 29 2026: 20% off", "2026-11-29"),
    ("Sale ends Dec. 5th at 11:59 PM PT", "2026-12-05"),
    ("Expires Sunday, December 6, 2026", "2026-12-06"),
    ("Ends tomorrow", "2026-11-27"),
    ("expires today: 10% off", "2026-11-26"),
    ("Expires tonight at midnight", "2026-11-26"),
    ("R$ 20 de desconto até 05/12/2026", "2026-12-05"),
    ("Half Price Duvets - ends 5th December", "2026-12-05"),
    ("Gutschein: 10€ Rabatt ab 50€ Bestellwert (gültig bis 05.12.2026)", "2026-12-05"),
    ("Code promo : -15€ dès 100€ d'achat, valable jusqu'au 31 décembre", "2026-12-31"),
    ("Offer valid 11/26/2026 - 12/02/2026", "2026-12-02"),
    ("Offer valid through 12/31/26.", "2026-12-31"),
    ("(expires: Dec 31, 2026)", "2026-12-31"),
    ("Expiration Date: 12/31/2026", "2026-12-31"),
    ("Black Friday ends this Sunday", "2026-11-29"),
    ("valid until 2026-12-05T23:59:59Z", "2026-12-05T23:59:59Z"),
    ("from 1 December to 5 December", "2026-12-05"),
    ("vom 1. bis 5. Dezember", "2026-12-05"),
    ("Nur noch bis morgen", "2026-11-27"),
    ("du 26 novembre au 5 décembre 2026", "2026-12-05"),
    ("del 26 de noviembre al 5 de diciembre de 2026", "2026-12-05"),
    ("Endet am Sonntag", "2026-11-29"),
    ("Läuft ab am 05.12.26", "2026-12-05"),
    ("Vence el 5/12/2026", "2026-12-05"),
    ("2026/12/31まで", "2026-12-31"),
    ("有効期限：2026年12月31日", "2026-12-31"),
    ("12月24日（木）まで", "2026-12-24"),
    ("bis 5.12.26", "2026-12-05"),
    ("expires Dec 13 or while supplies last", "2026-12-13"),
    ("Ends Fri 1/8", "2027-01-08"),
    ("Ends Friday 8pm", "2026-11-27"),
    ("Valid Dec 1-24", "2026-12-24"),
    ("Valid December 1–24, 2026", "2026-12-24"),
    ("from 1 to 24 December", "2026-12-24"),
    ("gültig 1.-24.12.2026", "2026-12-24"),
    ("du 1er au 24 décembre", "2026-12-24"),
    ("del 1 al 24 de diciembre", "2026-12-24"),
    ("dal 1 al 24 dicembre", "2026-12-24"),
    ("Scade il 31 gennaio 2027", "2027-01-31"),
    ("fino a sabato", "2026-11-28"),
    ("Valid Dec 28-Jan 3", "2027-01-03"),
    ("valid 11/29 - 12/5", "2026-12-05"),
    ("valid 12/1-12/24", "2026-12-24"),
    ("through Sunday", "2026-11-29"),
    ("Sale thru Saturday", "2026-11-28"),
    ("20% korting tot zondag", "2026-11-29"),
    ("t/m vrijdag", "2026-11-27"),
    ("tot en met zaterdag 5 december 2026", "2026-12-05"),
    ("geldig tot en met 31-12-2026", "2026-12-31"),
    ("verloopt op 31-12-2026", "2026-12-31"),
    ("até sexta-feira", "2026-11-27"),
    ("até terça feira", "2026-12-01"),
    ("até segunda", "2026-11-30"),
    ("até quarta-feira, 2 de dezembro de 2026", "2026-12-02"),
    ("Thursday deals through Sunday", "2026-11-29"),
    ("EXP 11.30.26", "2026-11-30"),
    ("Offer good thru 12.30.2026", "2026-12-30"),
    ("exp12/30/26", "2026-12-30"),
    ("last day 12/30", "2026-12-30"),
    ("Last day: Dec 30", "2026-12-30"),
    ("final day is Sunday", "2026-11-29"),
    ("closes Dec 30", "2026-12-30"),
    ("by December 30", "2026-12-30"),
    ("before 12/30", "2026-12-30"),
    ("avant le 31 décembre", "2026-12-31"),
    ("läuft am 5.12.2026 ab", "2026-12-05"),
    ("Vigencia: 31/12/2026", "2026-12-31"),
    ("ważne do 31.12.2026", "2026-12-31"),
    ("20% off today only", "2026-11-26"),
    ("Nur heute 20% Rabatt", "2026-11-26"),
    ("Alleen vandaag", "2026-11-26"),
    ("expires in 3 days", "2026-11-29"),
    ("endet in 1 Tag", "2026-11-27"),
    ("expira em 2 dias", "2026-11-28"),
    ("30% off (11/29 - 12/5)", "2026-12-05"),
    ("20% off (Nov 28 - Dec 5)", "2026-12-05"),
    ("20% Rabatt (28.11.–05.12.2026)", "2026-12-05"),
    ("Free delivery by the crate until Sunday", "2026-11-29"),
  ]

  @Test("a date behind a word for an end is the end", arguments: ends)
  func readsEnds(text: String, reading: String) {
    #expect(Self.read(text, published: Self.thursday) == reading)
  }

  @Test(
    "without the day of publication only a whole date counts",
    arguments: [
      ("exp 12/25/26", "2026-12-25"), ("valid until 5 December 2026", "2026-12-05"),
      ("valid until 5 December", "none"), ("ends Sunday", "several"), ("expires today", "several"),
      ("exp 11/05/2026", "none"),
    ])
  func readsWithoutPublication(text: String, reading: String) {
    #expect(Self.read(text, published: nil) == reading)
  }

  @Test("the order of the feed decides an ambiguous date, else the publication")
  func ordersDates() {
    let text = "exp 11/05/2026"
    let january = CivilDay(year: 2026, month: 1, day: 10)?.number
    #expect(Self.read(text, published: january) == "none")
    #expect(Self.read(text, order: .mdy, published: january) == "2026-11-05")
    #expect(Self.read(text, order: .dmy, published: january) == "2026-05-11")
    let october = CivilDay(year: 2026, month: 10, day: 28)?.number
    #expect(Self.read(text, published: october) == "2026-11-05")
  }

  static let others = [
    "Yogurt 2 for $5", "Yogurt 2/$5", "Buy 1 Get 1 50% Off all socks",
    "Buy 2, get 1 free on books thru 12/5", "$1 off 2 Kellogg's cereals",
    "$1.00 off any two Kellogg's cereals", "$5 off $25 or more", "$10 off orders over $50",
    "Up to $5 cash back at Shell", "5 for dinner", "Open 24/7", "50 off-road tracks",
    "$50 off-road tires", "May be the best deal", "2 for the Money", "3 for 2 on all books",
    "3 for the price of 2", "Montag bis Freitag 20% Rabatt", "50 kronor rabatt", "Spara 50 kr",
    "Save 20% or $5 off", "Save 5 minutes a day", "Save $3 billion", "$3 off",
    "Valid 11/1-12/5 save 10%", "Not available until December 5", "$1 off 12 oz Coffee",
    "$1 off Tide 92 oz", "Get $5 off your first order", "$5 cashback on $20 purchase",
    "10 Franken Rabatt", "20 zł rabatu", "$2/1 Colgate", "Yogurt 2 for $5", "Apples $3.99/lb",
    "Lamp from $3", "Craftsman V20 9 Ah Lithium-Ion Battery $79 + Free S&H",
    "Socks $1.50–$2.00 each", "Corn 10/$10", "Save $1.50 on any ONE (1) Tide",
    "Save $1.00 when you buy TWO (2) Pampers", "$0.75/2 Pillsbury",
    "$3.00 off one Dove body wash", "Buy 3 get 2 free", "Buy 2 Get 1 Free!", "2-for-1 tickets",
    "20 percent off", "£10 off when you spend £50", "Bis zu 50% Rabatt", "3 für 2 Aktion",
    "2 + 1 gratis", "Kaufe 2, erhalte 1 gratis", "2 achetés = 1 offert", "3 al precio de 2",
    "Sconto di 5 euro", "prendi 3 paghi 2", "1/2 off all swimwear", "$5 gift card with purchase",
    "Raised $5 million", "Top 10 tips to save money", "The 39 Steps", "50 Shades, 100 ways",
    "Take 5 off", "Off Campus: 20 dorm ideas", "0% APR for 12 months", "7-Up 2 liter", "€10 off",
    "$10 off", "€5 off", "3 for $10", "Buy 2 for $5", "Chair $49.99 each", "Ends 12/1.",
    "Ends next Sunday", "Until supplies last", "Weekends 5 December", "ends in 30 days",
    "expires in 3 days from purchase", "Monday through Friday",
    "Open Monday 9am through Friday 5pm",
    "ma t/m zondag", "Black Friday through Sunday", "hasta segunda orden",
    "fino alla quinta edizione", "by Sunday", "before today", "Delivered by December 24",
    "Arrives before Dec 24", "Free shipping by Dec 24", "until 12.30", "exp 13.30.26",
    "(1/2 - 3/4)", "(11/29 - 12/5 only)", "(5-7)", "not today only",
    "Starts 5 December", "Until May be announced", "24 Dec until midnight", "Exp 11/5",
    "exp. 11.05.26", "Ends at 12.05", "Expires 9999-12-31", "Expires 0001-01-01",
    "Valid Dec 1", "Valid Dec 1-5pm", "valid 1-3", "good for 2 - 5 days", "valid 12/1-12/5",
    "War until 11 November 1918", "Bis 12.12.12", "version until 1.2.3",
  ]

  static let presents = [
    "Der Simulator ist bis heute grafisch ungeschlagen.",
    "In 40 Jahren wurden bis heute über 4.000",
    "Hasta hoy sigue siendo el mejor.", "Tot vandaag is het raadsel niet opgelost.",
    "Le musée est resté fermé jusqu'à aujourd'hui en semaine",
    "Un libro letto fino ad oggi da milioni di persone.", "It was in use until today in schools",
    "The week ending August 21, 2026", "For the quarter ending September 30, 2026",
    "My notes for the week ending November 28, 2026.", "Fiscal year ending December 31, 2026",
    "La semana que termina el 5 de diciembre de 2026", "Sales for the month ending 12/31/2026",
    "The museum is closed until 12 December 2026.",
  ]

  @Test("the present and the end of a period are no ends, even in a title", arguments: presents)
  func leavesThePresent(text: String) {
    #expect(Self.read(text, published: Self.thursday) == "none")
    #expect(Self.read(text, published: Self.thursday, isTitle: false) == "none")
  }

  @Test(
    "until today is an end before a punctuation mark of a title, and behind a word for an offer",
    arguments: [
      ("Nur bis heute!", "2026-11-26", "2026-11-26"),
      ("20% off until today", "2026-11-26", "none"),
      ("Bis heute: 20 % Rabatt", "2026-11-26", "none"),
      ("20 % Rabatt bis heute – nur online", "2026-11-26", "none"),
      ("Sale ends today", "2026-11-26", "2026-11-26"),
      ("Gültig bis heute um 20 Uhr", "2026-11-26", "2026-11-26"),
      ("Oferta hasta hoy en toda la tienda", "2026-11-26", "2026-11-26"),
      ("20% off until tonight on all shoes", "2026-11-26", "2026-11-26"),
      ("20% off until tomorrow on all shoes", "2026-11-27", "2026-11-27"),
      ("Deal of the week ends Sunday", "2026-11-29", "2026-11-29"),
      ("20% off, ending December 5, 2026", "2026-12-05", "2026-12-05"),
      ("The shop was open until 12 May 2026, then it moved", "2026-05-12", "none"),
      ("Valid until 12 May 2026", "2026-05-12", "2026-05-12"),
      ("Everything 20% off until 12 December 2026", "2026-12-12", "2026-12-12"),
      ("Último día: 31/12/2026", "2026-12-31", "2026-12-31"),
      ("Entro oggi", "2026-11-26", "2026-11-26"),
    ])
  func readsTodayInTitles(text: String, title: String, prose: String) {
    #expect(Self.read(text, published: Self.thursday) == title)
    #expect(Self.read(text, published: Self.thursday, isTitle: false) == prose)
  }

  @Test(
    "a date that may be either of two days is unclear",
    arguments: [
      "Ends Friday 13", "expires Dec 13 or Dec 14", "Valid Dec 1-7 and Dec 10-17",
      "nur heute und morgen",
    ])
  func leavesSeveral(text: String) {
    #expect(Self.read(text, published: Self.thursday) == "several")
  }

  @Test("other dates and words are no ends", arguments: others)
  func leavesOthers(text: String) {
    #expect(Self.read(text, published: Self.thursday) == "none")
  }
}
