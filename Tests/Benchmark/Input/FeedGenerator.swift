import Foundation

/// Generates feeds in Ibotta's format, with about 350 bytes per offer and the same bytes on every
/// machine. Offers are written as they are generated, so that memory use does not depend on their
/// number.
struct FeedGenerator {
  /// The variants of a feed with the same number of offers.
  enum Variant: String, CaseIterable {
    case plain
    /// One offer in a hundred has another reward and longer terms than in the plain feed.
    case changed
    /// The offers of the plain feed in another order.
    case reordered
  }

  let count: Int

  func write(_ variant: Variant, to path: String) throws {
    guard let file = fopen(path, "w") else {
      throw BenchmarkError(description: "Could not write \(path).")
    }
    defer { fclose(file) }
    fputs("[", file)
    for place in 0..<count {
      if place > 0 { fputs(",", file) }
      // A stride that is coprime to the count visits each number once.
      let number = variant == .reordered ? place * stride % count : place
      fputs(Self.offer(number, isChanged: variant == .changed && number % 100 == 37), file)
    }
    fputs("]", file)
  }

  private var stride: Int {
    var stride = max(1, count * 7 / 11)
    while Self.divisor(stride, count) != 1 { stride += 1 }
    return stride
  }

  private static func divisor(_ left: Int, _ right: Int) -> Int {
    right == 0 ? left : divisor(right, left % right)
  }

  private static let makers = [
    "Alder Creek\\u00ae", "Bluebird Bakery", "Caf\\u00e9 Norte", "Drift & Sons", "Elmhouse\\u2122",
    "Fjordlight", "Granary Lane", "Hollow Oak\\u00ae", "Ivy Table", "Junipero",
  ]
  private static let goods = [
    "Rolled Oats", "Oat Drink", "Rye Crackers", "Tomato Soup", "Dish Soap", "Apple Juice",
    "Ground Coffee", "Dog Biscuits", "Paper Towels", "Tooth Gel", "Cheddar", "Trail Mix",
  ]
  private static let sentences = [
    "Any size.", "Not valid on trial sizes.", "Limit three a customer.",
    "\\u2022 Multipacks excluded.",
    "Void where prohibited.", "Buy two in one transaction.",
    "Must be bought at a participating retailer while the offer lasts.",
  ]

  private static func offer(_ number: Int, isChanged: Bool) -> String {
    var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    let id = 110_579 + number * 7
    let maker = makers[next(makers.count)]
    let good = goods[next(goods.count)]
    let image =
      next(100) < 3
      ? "null" : "\"https://images.example.com/offers/\(id)/\(next(1 << 30))-normal.png\""
    var terms: [String] = []
    for _ in 0...(next(20) == 0 ? 20 : next(4)) { terms.append(sentences[next(sentences.count)]) }
    var cents = 25 + 25 * next(20)
    if isChanged {
      cents += 50
      terms.append("Now pays more.")
    }
    let pay = "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) Cash Back"
    return """
      {"id":"\(id)","url":\(image),"name":"\(maker) \(good)","description":"Any variety, \
      \(4 + next(28)) oz. or larger","terms":"\(terms.joined(separator: "\\r\\n"))",\
      "current_value":"\(pay)"}
      """
  }

  /// Copies a document with other whitespace: a space or line break after each of `{[,:` outside
  /// texts.
  static func respace(_ source: String, to target: String) throws {
    guard let input = fopen(source, "r"), let output = fopen(target, "w") else {
      throw BenchmarkError(description: "Could not write \(target).")
    }
    defer {
      fclose(input)
      fclose(output)
    }
    var isInText = false
    var isEscaped = false
    while true {
      let character = getc_unlocked(input)
      if character == EOF { return }
      putc_unlocked(character, output)
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if character == 0x5C {
          isEscaped = true
        } else if character == 0x22 {
          isInText = false
        }
      } else {
        switch character {
        case 0x22: isInText = true
        case 0x7B, 0x2C: fputs("\n  ", output)
        case 0x5B, 0x3A: putc_unlocked(0x20, output)
        default: break
        }
      }
    }
  }
}
