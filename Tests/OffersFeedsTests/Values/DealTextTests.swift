import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Rewards and prices that a title states")
struct DealTextTests {
  /// Reads a title; returns the part that states the reward or price with its value, `none` or `several`.
  private static func read(
    _ text: String, currency: String? = "USD", role: ValueRole = .reward
  ) -> String {
    let rewards = RewardParser(feedCurrency: currency, role: role)
    switch DealText.find(in: text, role: role, isTitle: true, rewards) {
    case .none: return "none"
    case .several: return "several"
    case .one(let part):
      return part + " = " + RewardReading.parse(part, currency: currency, role: role)
    }
  }

  static let rewards: [(text: String, currency: String?, reading: String)] = [
    ("$2.50 off Folgers Coffee (exp 11/05/2026)", "USD", "$2.50 off = 250 USD"),
    ("$2.50 off Folgers Coffee (exp 11/05/26)", "USD", "$2.50 off = 250 USD"),
    ("$2.50 off Folgers Coffee (exp 11/25/26)", "USD", "$2.50 off = 250 USD"),
    ("50 % off everything, valid until 5 December", "USD", "50 % off = 5000 %"),
    ("Save £3 on gin - ends Sunday", "GBP", "Save £3 = 300 GBP"),
    ("Yogurt 2 for $5", "USD", "2 for $5 = text"),
    ("Yogurt 2/$5", "USD", "2/$5 = text"),
    ("BOGO Pizza", "USD", "BOGO = text"),
    ("BOGO 50% off shoes today only", "USD", "BOGO 50% off = text"),
    ("Buy 1 Get 1 50% Off all socks", "USD", "Buy 1 Get 1 50% Off = text"),
    ("Buy 2, get 1 free on books thru 12/5", "USD", "Buy 2, get 1 free = text"),
    ("Buy one get one free", "USD", "Buy one get one free = text"),
    ("$1 off 2 Kellogg's cereals", "USD", "$1 off 2 = text"),
    ("$1.00 off any two Kellogg's cereals", "USD", "$1.00 off any two = text"),
    ("$5 off $25 or more", "USD", "$5 off $25 = text"),
    ("$10 off orders over $50", "USD", "$10 off = 1000 USD"),
    ("Was $5, save $2", "USD", "save $2 = 200 USD"),
    ("Up to $5 cash back at Shell", "USD", "Up to $5 cash back = up to 500 USD"),
    ("Save up to 40% on toys through December 24, 2026", "USD", "Save up to 40% = up to 4000 %"),
    ("Up to 70% off", "USD", "Up to 70% off = up to 7000 %"),
    ("10-20% off all tools", "USD", "10-20% off = text"),
    ("20% to 50% off coats", "USD", "20% to 50% off = text"),
    ("Extra 20% off sale", "USD", "Extra 20% off = 2000 %"),
    ("Free shipping on everything", "USD", "Free shipping = text"),
    ("3 for 2 on all books", "USD", "3 for 2 = text"),
    ("3 for the price of 2", "USD", "3 for the price of 2 = text"),
    ("5 € Rabatt auf alles, gültig bis 31.12.2026", "EUR", "5 € Rabatt = 500 EUR"),
    ("-20 % auf alles bis 5. Dezember", "EUR", "20 % = 2000 %"),
    ("Spare 3€ bis Sonntag", "EUR", "Spare 3€ = 300 EUR"),
    ("Montag bis Freitag 20% Rabatt", "EUR", "20% Rabatt = 2000 %"),
    ("-30% sur les jouets jusqu'au 5 décembre 2026", "EUR", "30% = 3000 %"),
    ("5,50 € de réduction, expire le 05/12/2026", "EUR", "5,50 € de réduction = 550 EUR"),
    ("1.299,50 € de réduction", "EUR", "1.299,50 € de réduction = 129950 EUR"),
    ("Jusqu'à 2,5 % de remise", "EUR", "Jusqu'à 2,5 % de remise = up to 250 %"),
    ("Ahorra 3 € hasta el 5 de diciembre de 2026", "EUR", "Ahorra 3 € = 300 EUR"),
    ("3x2 en champús", "EUR", "3x2 = text"),
    ("20% de descuento hasta el domingo", "EUR", "20% de descuento = 2000 %"),
    ("Sconto del 20% fino al 31/12/2026", "EUR", "Sconto del 20% = 2000 %"),
    ("1+1 gratis op alles t/m 31-12-2026", "EUR", "1+1 gratis = text"),
    ("25% korting tot 5 december 2026", "EUR", "25% korting = 2500 %"),
    ("50 kronor rabatt", "SEK", "50 kronor rabatt = 5000 SEK"),
    ("Spara 50 kr", "SEK", "Spara 50 kr = 5000 SEK"),
    ("500円引き 12月31日まで", "JPY", "500円引き = 500 JPY"),
    ("全品２０％OFF 2026年12月31日まで", "JPY", "２０％OFF = 2000 %"),
    ("20%割引", "JPY", "20%割引 = 2000 %"),
    ("Save ٥٠٪ today", "AED", "Save ٥٠٪ = 5000 %"),
    ("20% OFF + free shipping", "USD", "20% OFF = 2000 %"),
    ("$3 off", "USD", "$3 off = 300 USD"),
    ("[$3 off] Cheerios *exp. Dec 5*", "USD", "$3 off = 300 USD"),
    ("Half price pizza", "USD", "Half price = text"),
    ("50% off 2nd item", "USD", "50% off 2 = text"),
    ("50% off back to school", "USD", "50% off = 5000 %"),
    ("$1,000 off laptops expires 2026-12-05", "USD", "$1,000 off = 100000 USD"),
    ("Flat ₹1,00,000 off", "INR", "₹1,00,000 off = 10000000 INR"),
    ("Rs. 500 off valid till 5 Dec 2026", "INR", "Rs. 500 off = 50000 INR"),
    ("Valid Nov 1 - Nov 29 2026: 20% off", "USD", "20% off = 2000 %"),
    ("Valid 11/1-12/5 save 10%", "USD", "save 10% = 1000 %"),
    ("expires today: 10% off", "USD", "10% off = 1000 %"),
    ("$1 off 12 oz Coffee", "USD", "$1 off = 100 USD"),
    ("$1 off Tide 92 oz", "USD", "$1 off = 100 USD"),
    ("Get $5 off your first order", "USD", "$5 off = 500 USD"),
    ("$5 cashback on $20 purchase", "USD", "$5 cashback = 500 USD"),
    ("5% cash back", "USD", "5% cash back = 500 %"),
    ("CHF 10.- Rabatt ab CHF 50.-", "CHF", "CHF 10.- Rabatt = 1000 CHF"),
    ("10 Franken Rabatt", "CHF", "10 Franken Rabatt = 1000 CHF"),
    ("20 zł rabatu", "PLN", "20 zł rabatu = 2000 PLN"),
    ("R$ 20 de desconto até 05/12/2026", "BRL", "R$ 20 de desconto = 2000 BRL"),
    ("Save 50¢ on gum", "USD", "Save 50¢ = 50 USD"),
    ("Save $1-$3", "USD", "Save $1-$3 = text"),
    ("Price drop: take 25% off", "USD", "take 25% off = 2500 %"),
    ("Get 15% OFF your next order with code SAVE15", "USD", "15% OFF = 1500 %"),
    ("Save $1.50 on any ONE (1) Tide", "USD", "Save $1.50 on any ONE = 150 USD"),
    ("Save $1.00 when you buy TWO (2) Pampers", "USD", "Save $1.00 when you buy TWO = text"),
    ("$3.00 off one Dove body wash", "USD", "$3.00 off one = 300 USD"),
    ("Buy 3 get 2 free", "USD", "Buy 3 get 2 free = text"),
    ("Buy 2 Get 1 Free!", "USD", "Buy 2 Get 1 Free = text"),
    ("Buy one, get the second half off", "USD", "Buy one, get the second half off = text"),
    ("2-for-1 tickets", "USD", "2-for-1 = text"),
    ("£10 off when you spend £50", "GBP", "£10 off = 1000 GBP"),
    ("Half Price Duvets - ends 5th December", "GBP", "Half Price = text"),
    ("Up to half price", "GBP", "Up to half price = text"),
    (
      "Gutschein: 10€ Rabatt ab 50€ Bestellwert (gültig bis 05.12.2026)", "EUR",
      "10€ Rabatt = 1000 EUR"
    ),
    ("Bis zu 50% Rabatt", "EUR", "Bis zu 50% Rabatt = up to 5000 %"),
    ("3 für 2 Aktion", "EUR", "3 für 2 = text"),
    ("2 + 1 gratis", "EUR", "2 + 1 gratis = text"),
    ("Kaufe 2, erhalte 1 gratis", "EUR", "Kaufe 2, erhalte 1 gratis = text"),
    ("5,5 % Cashback", "EUR", "5,5 % Cashback = 550 %"),
    ("10€ offerts dès 50€", "EUR", "10€ offerts = 1000 EUR"),
    ("Code promo : -15€ dès 100€ d'achat, valable jusqu'au 31 décembre", "EUR", "15€ = 1500 EUR"),
    ("2x1 en pizzas", "EUR", "2x1 = text"),
    ("3 al precio de 2", "EUR", "3 al precio de 2 = text"),
    ("Sconto di 5 euro", "EUR", "Sconto di 5 euro = 500 EUR"),
    ("prendi 3 paghi 2", "EUR", "prendi 3 paghi 2 = text"),
    ("50% de desconto", "BRL", "50% de desconto = 5000 %"),
    ("20% zniżki na wszystko", "PLN", "20% zniżki = 2000 %"),
    ("最大50%OFF", "JPY", "最大50%OFF = text"),
    ("1,000円OFF", "JPY", "1,000円OFF = 1000 JPY"),
    ("立减50元", "CNY", "立减50元 = text"),
    ("20% 할인", "KRW", "20% 할인 = 2000 %"),
    ("Save 1.5% on gas", "USD", "Save 1.5% = 150 %"),
    ("1/2 off all swimwear", "USD", "1/2 off = text"),
    ("€10 off", "USD", "€10 off = 1000 EUR"),
    ("$10 off", "EUR", "$10 off = text"),
    ("€5 off", nil, "€5 off = 500 EUR"),
    ("At least 20% off", "USD", "At least 20% off = text"),
    ("Save over $50 on tools", "USD", "Save over $50 = text"),
    ("Half-price pizza", "USD", "Half-price = text"),
    ("Two for $5", "USD", "Two for $5 = text"),
    ("$5 off (2) Tide", "USD", "$5 off (2) = text"),
    ("50% off for 3 months", "USD", "50% off = 5000 %"),
    ("Two for the price of one", "USD", "Two for the price of one = text"),
    ("20 percent off boots", "USD", "20 percent off = 2000 %"),
    ("Up to 30 per cent off", "GBP", "Up to 30 per cent off = up to 3000 %"),
    ("20 Prozent Rabatt", "EUR", "20 Prozent Rabatt = 2000 %"),
    ("20 pour cent de réduction", "EUR", "20 pour cent de réduction = 2000 %"),
    ("5 dollars off", "USD", "5 dollars off = 500 USD"),
    ("50p off beans", "GBP", "50p off = 50 GBP"),
    ("Save 50 cents on gum", "USD", "Save 50 cents = 50 USD"),
    ("10¢ off per gallon", "USD", "10¢ off per gallon = text"),
    ("3¢ off a gallon", "USD", "3¢ off a gallon = text"),
    ("Save $5/month", "USD", "Save $5/month = text"),
    ("5 € Rabatt pro Person", "EUR", "5 € Rabatt pro Person = text"),
    ("$5 off per order", "USD", "$5 off = 500 USD"),
    ("50% off the second item", "USD", "50% off the second = text"),
    ("20% Rabatt auf den zweiten Artikel", "EUR", "20% Rabatt auf den zweiten = text"),
    ("Rabatt: 10 %", "EUR", "Rabatt: 10 % = 1000 %"),
    ("Winter sale: $10 off", "USD", "$10 off = 1000 USD"),
    ("save 20% on orders over $50", "USD", "save 20% = 2000 %"),
    ("from 10% off", "USD", "from 10% off = text"),
    ("Min. 50% off", "INR", "Min. 50% off = text"),
    ("Upto 70% off", "INR", "Upto 70% off = up to 7000 %"),
    ("Sconto fino al 50%", "EUR", "Sconto fino al 50% = up to 5000 %"),
    ("15%-Rabatt auf alles", "EUR", "15%-Rabatt = 1500 %"),
    ("Rs500 off", "INR", "Rs500 off = 50000 INR"),
    ("5% off 29 November - 24 December", "USD", "5% off = 500 %"),
  ]

  static let spans: [(text: String, reading: String)] = [
    ("Black Friday 2026 – 20% off", "20% off = 2000 %"),
    ("Exp 12/31/26 - $5 off Tide", "$5 off = 500 USD"),
    ("Exp 12-31-26 - $50 off Tide", "$50 off = 5000 USD"),
    ("12/5 - $50 off Tide", "$50 off = 5000 USD"),
    ("Huggies Size 4 - $30 off", "$30 off = 3000 USD"),
    ("LEGO 75192 – $100 off", "$100 off = 10000 USD"),
    ("Windows 11 - 50% off", "50% off = 5000 %"),
    ("Windows 11-50% off", "50% off = 5000 %"),
    ("Chanel No. 5 - 20% off", "20% off = 2000 %"),
    ("iPhone 15 / 20% off", "20% off = 2000 %"),
    ("Route 66 to 20% off", "20% off = 2000 %"),
    ("Best of 2026 / 20% off", "20% off = 2000 %"),
    ("Top of 2026 / $3000 off", "$3000 off = 300000 USD"),
    ("Room 101 or $5 off", "$5 off = 500 USD"),
    ("10 - 20% off", "10 - 20% off = text"),
    ("Sale! 10 to 20% off", "10 to 20% off = text"),
    ("Get 10 or 20% off", "10 or 20% off = text"),
    ("Extra 10 - 20% off", "Extra 10 - 20% off = text"),
    ("Save 10 to 20% on shoes", "Save 10 to 20% = text"),
    ("Save 5-10% today", "Save 5-10% = text"),
    ("Shoes 5-10% off", "5-10% off = text"),
    ("1,5–2,5 % Cashback", "1,5–2,5 % Cashback = text"),
    ("5-10 € Rabatt", "5-10 € Rabatt = text"),
    ("Up to 50% – 70% off", "Up to 50% – 70% off = text"),
  ]

  @Test("a number before a saving is its low end only if it can be", arguments: spans)
  func readsSpans(text: String, reading: String) {
    #expect(Self.read(text) == reading)
  }

  static let conditions: [(text: String, reading: String)] = [
    ("Buy 2 Get 15% off", "Buy 2 Get 15% off = text"),
    ("Buy 2, get $5 off shoes", "Buy 2, get $5 off = text"),
    ("Buy 3 - save $5", "Buy 3 - save $5 = text"),
    ("2nd item 50% off", "2nd item 50% off = text"),
    ("2. Artikel 50% günstiger", "2. Artikel 50% günstiger = text"),
    ("Le 2ème à -50 %", "2ème à -50 % = text"),
    ("Segunda unidad al 70% de descuento", "Segunda unidad al 70% de descuento = text"),
    ("Tweede artikel 50% korting", "Tweede artikel 50% korting = text"),
    ("2e halve prijs", "2e halve prijs = text"),
    ("Secondo articolo a metà prezzo", "Secondo articolo a metà prezzo = text"),
    ("Echo Dot 3rd gen $20 off", "$20 off = 2000 USD"),
    ("30 second timer $5 off", "$5 off = 500 USD"),
    ("December 2nd 20% off", "20% off = 2000 %"),
    ("Bis 2. Dezember 50% Rabatt", "50% Rabatt = 5000 %"),
    ("Made for 2. 50% off", "50% off = 5000 %"),
    ("$1 OFF (1) Purex", "$1 OFF = 100 USD"),
    ("$1 off 1 Purex", "$1 off = 100 USD"),
    ("Save 20% or more", "Save 20% or more = text"),
    ("About 20% off", "About 20% off = text"),
    ("Tot wel 70% korting", "Tot wel 70% korting = up to 7000 %"),
    ("do 50% taniej", "do 50% taniej = text"),
    ("do -50%", "do -50% = text"),
    ("Nawet do 50% taniej", "Nawet do 50% taniej = up to 5000 %"),
    ("Bis 50% Rabatt", "Bis 50% Rabatt = text"),
    ("Jusqu'à -70%", "Jusqu'à -70% = up to 7000 %"),
  ]

  @Test("words that limit or condition a saving stay with it", arguments: conditions)
  func readsConditions(text: String, reading: String) {
    #expect(Self.read(text) == reading)
  }

  static let common: [(text: String, reading: String)] = [
    ("50¢ off", "50¢ off = 50 XXX"), ("Save 75¢", "Save 75¢ = 75 XXX"),
    ("75 cents off", "75 cents off = 75 XXX"), ("$5 off", "$5 off = 500 XXX"),
    ("50 Cent Rabatt", "50 Cent Rabatt = 50 XXX"), ("50p off", "none"), ("50 ct off", "none"),
    ("20% de cashback", "20% de cashback = 2000 %"), ("50% remboursé", "50% remboursé = 5000 %"),
    ("1 acheté = 1 offert", "1 acheté = 1 offert = text"),
    ("2 achetés, le 3ème offert", "2 achetés, le 3ème offert = text"),
    ("5-Euro-Gutschein", "5-Euro-Gutschein = 500 EUR"),
    ("10-€-Gutschein", "10-€-Gutschein = 1000 EUR"),
    ("10€-Gutschein", "10€-Gutschein = 1000 EUR"), ("5-Euro-Schein", "none"),
    ("20% Extra-Rabatt", "20% Extra-Rabatt = 2000 %"), ("Nimm 3, zahl 2", "Nimm 3, zahl 2 = text"),
    ("Cupón 20%", "Cupón 20% = 2000 %"), ("Cupom de R$ 15", "Cupom de R$ 15 = 1500 BRL"),
    ("Reembolso de 5 €", "Reembolso de 5 € = 500 EUR"),
    ("Rebaja de 10 €", "Rebaja de 10 € = 1000 EUR"),
    ("Buono sconto da 10 €", "Buono sconto da 10 € = 1000 EUR"),
    ("Sconto da 10 €", "Sconto da 10 € = text"), ("Rimborso 5 €", "Rimborso 5 € = 500 EUR"),
    ("20% kortingscode", "20% kortingscode = 2000 %"),
    ("3 halen 2 betalen", "3 halen 2 betalen = text"), ("€2 terug", "€2 terug = 200 EUR"),
    ("Gratis bezorging", "Gratis bezorging = text"),
    ("Compre 1 leve 2", "Compre 1 leve 2 = text"),
    ("$5 mail-in rebate", "$5 mail-in rebate = 500 XXX"),
    ("Kup 2, zapłać za 1", "Kup 2, zapłać za 1 = text"),
    ("Darmowa dostawa", "Darmowa dostawa = text"),
  ]

  @Test("savings are read without a currency of the feed", arguments: common)
  func readsWithoutCurrency(text: String, reading: String) {
    #expect(Self.read(text, currency: nil) == reading)
  }

  @Test("the saving is found with the words that belong to it", arguments: rewards)
  func readsRewards(text: String, currency: String?, reading: String) {
    #expect(Self.read(text, currency: currency) == reading)
  }

  static let others = [
    "5 for dinner", "iPhone 15", "Open 24/7", "2% milk", "100% cotton shirt",
    "50 off-road tracks", "$50 off-road tires", "May be the best deal", "2 for the Money",
    "20% less sugar", "-10°C to -20°C jackets", "Save 5 minutes a day", "Save $3 billion",
    "20% back to school", "Win a $500 voucher", "$2/1 Colgate", "$0.75/2 Pillsbury",
    "Kids eat free", "70 % en la segunda unidad", "Win $500 cash", "$5 gift card with purchase",
    "Raised $5 million", "Top 10 tips to save money", "5-star hotel", "The 39 Steps",
    "50 Shades, 100 ways", "Take 5 off", "Off Campus: 20 dorm ideas", "0% APR for 12 months",
    "99.9% effective", "7-Up 2 liter", "Stocks fall 2%", "Unemployment down 0.5%",
    "Expiration Date: 12/31/2026", "Endet am Sonntag", "PlayStation 5 for $499 back in stock",
    "iPhone 15 for $799", "$20 back massage", "$5 in savings bonds", "$100 savings account",
    "Shares 5% off highs", "$20 voucher for $10", "After rebate $5", "Nach Rabatt 5 €", "$0 off",
    "Tickets for 2 for 1 night", "Dinner for 2 for $50", "No free shipping",
    "Free delivery not included", "Due for $5", "Half off-road, half on it",
    "Win $1000 off your next trip", "Chance to win 50% off", "Gewinne 20% Rabatt",
    "Giveaway: $500 off", "Worth $50 if you spend $200", "20 percent of people save money",
    "was $10 now $8",
  ]

  @Test("an amount or number without a word for a saving is no reward", arguments: others)
  func leavesOthers(text: String) {
    #expect(Self.read(text) == "none")
  }

  @Test(
    "a text with different savings has none",
    arguments: [
      "Save 20% or $5 off", "Save $5 or 20%", "Save 10% on one, 15% on two", "20% off, 30% off two",
      "Shirt 10 to 20% off",
    ])
  func leavesSeveral(text: String) {
    #expect(Self.read(text) == "several")
  }

  static let prices: [(text: String, reading: String)] = [
    ("Yogurt 2 for $5", "2 for $5 = text"),
    ("Apples $3.99/lb", "$3.99/lb = text"),
    ("Anker charger $25.99", "$25.99 = 2599 USD"),
    ("Anker charger $25.99 (was $40)", "$25.99 = 2599 USD"),
    ("Lamp, only $5", "$5 = 500 USD"),
    ("Lamp from $3", "from $3 = text"),
    ("save $3", "none"),
    ("Craftsman V20 9 Ah Lithium-Ion Battery $79 + Free S&H", "$79 = 7900 USD"),
    ("Bitcoin tops $100,000", "several"),
    ("Man finds $500 in attic", "none"),
    ("Socks $1.50–$2.00 each", "$1.50–$2.00 each = text"),
    ("Lampe nur 5 €", "5 € = 500 EUR"),
    ("Lampe ab 5 €", "ab 5 € = text"),
    ("Lampe 5 € statt 10 €", "5 € = 500 EUR"),
    ("Corn 10/$10", "10/$10 = text"),
    ("iPhone 15", "none"),
    ("3 for $10", "3 for $10 = text"),
    ("Buy 2 for $5", "2 for $5 = text"),
    ("Price: $12.99", "$12.99 = 1299 USD"),
    ("$12.99", "$12.99 = 1299 USD"),
    ("Chair $49.99 each", "$49.99 each = 4999 USD"),
    ("Was £20, now £10", "£10 = 1000 GBP"),
    ("Save $5: chair for $20", "$20 = 2000 USD"),
    ("iPhone 15 for $799", "$799 = 79900 USD"),
    ("Two for $5", "Two for $5 = text"),
    ("Dinner for 2 for $50", "$50 = 5000 USD"),
    ("Lamp $35+", "several"),
    ("Free shipping on $35", "several"),
    ("Man saves $5,000", "several"),
    ("Camera with 4K 60p", "none"),
    ("Lamp, only 5 dollars", "5 dollars = 500 USD"),
    ("Win a lamp for $5", "none"),
    ("Shoes $5 and up", "$5 and up = text"),
    ("Candles under $5", "under $5 = text"),
    ("Potatoes per kg $4.99", "per kg $4.99 = text"),
    ("Kartoffeln kg 4,99 €", "kg 4,99 € = text"),
    ("AirPods Pro Max $499", "$499 = 49900 USD"),
    ("Lenovo Legion Pro 5 1TB $2,199 Delivered @ Lenovo AU", "$2,199 = 219900 USD"),
    ("[PC, Steam] Lossless Scaling $5.12 @ Steam", "$5.12 = 512 USD"),
    ("Dartboard £10 @ Argos", "£10 = 1000 GBP"),
    ("Blu-ray Boxset (Region Free) $14.50 Shipped", "$14.50 = 1450 USD"),
    ("Graco Stroller (Gotham)  $193 + Free Shipping", "$193 = 19300 USD"),
    ("Charger $25.99 + Delivery ($0 with Prime/ $59 Spend) @ Amazon AU", "$25.99 = 2599 USD"),
    ("Charger $25 + $5.99 Delivery @ Kogan", "$25 = 2500 USD"),
    ("Falcon 75192 - £699.99 (was £849.99) @ Amazon", "£699.99 = 69999 GBP"),
    ("Lampe 5 € bei Amazon", "5 € = 500 EUR"),
    ("Switch 2 $449.99", "$449.99 = 44999 USD"),
    ("iPhone 15 €799 @ Amazon", "€799 = 79900 EUR"),
    ("Lampe 12,99 € inkl. Versand", "12,99 € = 1299 EUR"),
    ("[$1,184] Acer Predator 32GB", "$1,184 = 118400 USD"),
    ("The Time Machine (1960, Blu-ray) $9 or less", "$9 or less = text"),
    ("Garmin Fenix 5/FR935 watch", "none"),
    ("Garmin FR935", "none"),
    ("Shirts 2/$5", "2/$5 = text"),
    ("Käse 1,99 €/Stück", "1,99 €/Stück = text"),
    ("Kaffee 4,99€/Päckchen", "4,99€/Päckchen = text"),
    ("Чай 99 ₽/шт", "99 ₽/шт = text"),
    ("Чай 99 ₽/шт.", "99 ₽/шт = text"),
    ("Bière 2,50 €/pièce.", "2,50 €/pièce = text"),
    ("Kartoffeln 4,99 € per Päckchen", "4,99 € per Päckchen = text"),
    ("Kartoffeln per Päckchen 4,99 €", "per Päckchen 4,99 € = text"),
  ]

  @Test(
    "a unit behind a price ends with a whole character",
    arguments: [
      ("南京版泰山6桶 18.8元/盒", "18.8元/盒 = text"), ("苹果 5.5元/公斤，甜", "5.5元/公斤 = text"),
      ("会员 18.8元/月", "18.8元/月 = text"),
    ])
  func readsEastAsianUnits(text: String, reading: String) {
    #expect(Self.read(text, currency: "CNY", role: .price) == reading)
  }

  @Test("no part of a text is cut within a character, whatever letters are around an amount")
  func keepsCharacters() {
    let letters = ["ü", "ß", "é", "×", "º", "ш", "ไ", "元", "、", "😀", "İ", "\u{301}", "€"]
    let texts = [
      "5 €/A", "A 5 €/A", "5 € per A", "per A 5 €", "A-20% A", "2A 5 € A Rabatt A", "A/5€A",
    ]
    for letter in letters {
      for text in texts.flatMap({ [$0, $0 + "b"] }) {
        let text = text.replacing("A", with: letter + letter)
        for role in ValueRole.allCases {
          let reading = Self.read(text, currency: nil, role: role)
          #expect(!reading.contains("\u{FFFD}"), "\(text)")
        }
      }
    }
  }

  @Test("the price is found beside a word for it, or at the end of a title", arguments: prices)
  func readsPrices(text: String, reading: String) {
    #expect(Self.read(text, role: .price) == reading)
  }
}
