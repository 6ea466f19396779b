import OffersCore
import Testing

@testable import OffersFeeds

/// Feeds with the elements that communities of deals document, and invented deals.
@Suite("Deals of communities")
struct DealCommunityTests {
  private static func rss(_ items: [String]) -> String {
    """
    <rss version="2.0" xmlns:p="http://www.pepper.com/rss" xmlns:o="https://www.ozbargain.com.au"
      xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Deals</title>
    \(items.joined(separator: "\n"))</channel></rss>
    """
  }

  private static func item(_ title: String, _ more: String = "", day: Int = 29) -> String {
    "<item><title>\(title)</title><guid isPermaLink='false'>\(title)</guid>"
      + "<pubDate>\(day) Nov 2026 10:00:00 GMT</pubDate>\(more)</item>"
  }

  @Test("Pepper's element has the shop and the price")
  func pepper() throws {
    let guess = try GuessReading(
      Self.rss([
        Self.item("312° - Lenovo Legion 7i", "<p:merchant name='Currys' price='£1,150'/>"),
        Self.item("108° - Dartboard", "<p:merchant name='Argos' price='£65'/>"),
        Self.item("90° - 20% off everything £5", "<p:merchant name='Boots'/>", day: 28),
      ]))
    #expect(guess.all(.reward).prefix(2) == ["£1,150", "£65"])
    #expect(guess.all(.retailer) == ["Currys", "Argos", "Boots"])
    #expect(guess.definition.isWindow)
    #expect(guess.definition.presentation.valueRole == .price)
  }

  @Test("OzBargain's element has the end and the picture, and the title the price")
  func ozBargain() throws {
    let meta =
      "<o:meta votes-pos='12' votes-neg='0' expiry='2026-12-24T23:59:00+11:00' "
      + "image='https://files.example/1.jpg' url='https://shop.example/'/>"
    let guess = try GuessReading(
      Self.rss([
        Self.item("Lenovo Legion 1TB $2,199 Delivered @ Lenovo AU", meta),
        Self.item(
          "[PC, Steam] Lossless Scaling $5.12 @ Steam", "<o:meta votes-pos='45'/>", day: 28),
      ]))
    #expect(guess.all(.reward) == ["$2,199", "$5.12"])
    #expect(guess.all(.expiresAt) == ["1798117140", nil])
    #expect(guess.all(.imageURL) == ["https://files.example/1.jpg", nil])
    #expect(guess.definition.presentation.valueRole == .price)
    #expect(guess.definition.isWindow)
  }

  @Test("amounts in titles decide whether deals are prices or rewards, not free deliveries")
  func roles() throws {
    func role(_ titles: [String], _ description: String = "") throws -> ValueRole {
      let more = "<description>\(description)</description>"
      return try GuessReading(Self.rss(titles.map { Self.item($0, more) })).definition.presentation
        .valueRole
    }
    let prices = (1...4).map { "Lamp \($0) $1\($0).50 + Free Shipping" }
    #expect(try role(prices) == .price)
    #expect(try role(prices, "Save $5 with code TEA") == .price)
    #expect(try role(["Lamp $14.50 Shipped", "Chair $5 @ Shop"], "Free shipping") == .price)
    #expect(try role((1...4).map { "$\($0) off tea" }, "Now only $5") == .reward)
    #expect(try role((1...4).map { "BOGO pizza \($0)" }) == .reward)
    #expect(try role((1...4).map { "Free shipping at shop \($0)" }) == .reward)
    #expect(try role((1...4).map { "Tea \($0)" }, "20% off today") == .reward)
  }

  @Test("an empty list of tags is no fault of a product")
  func tags() throws {
    let reading = try YAMLReading(
      shipped: "shopify",
      #"""
      {"products":[{"id":1,"title":"A","tags":[],"variants":[{"price":"1.00"}]},
       {"id":2,"title":"B","tags":["x","y"],"variants":[{"price":"1.00"}]},
       {"id":3,"title":"C","tags":"x, y","variants":[]}]}
      """#)
    #expect(reading.isClean)
    #expect(reading.all(.categories) == [nil, #"["x","y"]"#, #"["x, y"]"#])
  }
}
