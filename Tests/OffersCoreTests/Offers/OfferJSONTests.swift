import Foundation
import OffersCore
import Testing

@Suite("An offer as JSON")
struct OfferJSONTests {
  private static func json(_ offer: Offer, isFavorite: Bool = false) -> String {
    var json = JSONWriter()
    json.value(
      UserOffer(offer, isFavorite: isFavorite), at: Date(timeIntervalSince1970: 1_700_000_000))
    return json.text
  }

  private static let full = Offer(
    ref: OfferRef(feed: "ibotta", offerID: "110579"), name: "Café \"Lumière\"",
    description: "30 oz.",
    terms: "a\nb",
    reward: Reward(
      text: "Up to $0.75", value: .amount(minorUnits: 75, currency: "USD"), isUpTo: true),
    imageURL: URL(string: "https://i.example/1.png"), url: URL(string: "https://o.example/1"),
    retailer: "Corner Shop", categories: ["Tea", "Hot \"drinks\""],
    startsAt: Date(timeIntervalSince1970: 3), expiresAt: Date(timeIntervalSince1970: 4),
    latitude: 32.95, longitude: -96.5,
    attributes: [OfferAttribute(label: "Origin", value: "Assam")],
    firstSeenAt: Date(timeIntervalSince1970: 0),
    changedAt: Date(timeIntervalSince1970: 1_700_000_000),
    goneAt: Date(timeIntervalSince1970: 1_800_000_000))

  private static let bare = Offer(
    ref: OfferRef(feed: "f", offerID: "a:b"), name: "B",
    firstSeenAt: Date(timeIntervalSince1970: 1.75), changedAt: Date(timeIntervalSince1970: 2))

  @Test("all members are present, in order")
  func writesFullOffer() {
    #expect(
      Self.json(Self.full, isFavorite: true)
        == #"{"ref":"ibotta:110579","feed":"ibotta","id":"110579","#
        + #""name":"Café \"Lumière\"","description":"30 oz.","terms":"a\nb","#
        + #""reward":{"role":"reward","text":"Up to $0.75","kind":"amount","minor_units":75,"#
        + #""currency":"USD","percent":null,"up_to":true},"image_url":"https://i.example/1.png","#
        + #""url":"https://o.example/1","favorite":true,"state":"gone","#
        + #""expired":true,"first_seen_at":"1970-01-01T00:00:00Z","changed_at":"2023-11-14T22:13:20Z","#
        + #""gone_at":"2027-01-15T08:00:00Z","retailer":"Corner Shop","#
        + #""categories":["Tea","Hot \"drinks\""],"starts_at":"1970-01-01T00:00:03Z","#
        + #""expires_at":"1970-01-01T00:00:04Z","latitude":32.95,"longitude":-96.5,"#
        + #""attributes":[{"label":"Origin","value":"Assam"}]}"#)
  }

  @Test("an absent field is null, and no member is missing")
  func writesBareOffer() {
    #expect(
      Self.json(Self.bare) == #"{"ref":"f:a:b","feed":"f","id":"a:b","name":"B","#
        + #""description":null,"terms":null,"reward":null,"image_url":null,"url":null,"#
        + #""favorite":false,"state":"current","expired":false,"first_seen_at":"1970-01-01T00:00:01Z","#
        + #""changed_at":"1970-01-01T00:00:02Z","gone_at":null,"retailer":null,"categories":[],"#
        + #""starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]}"#)
  }

  @Test("the value of an offer of a feed with prices is a price")
  func writesPrice() {
    var json = JSONWriter()
    json.pricedFeeds = ["ibotta"]
    json.value(UserOffer(Self.full), at: .now)
    #expect(json.text.contains(#""reward":{"role":"price","text":"Up to $0.75""#))
  }

  @Test("a percentage is an exact number, and its amount is null")
  func writesPercentage() {
    var json = JSONWriter()
    json.value(Reward(text: "2.5%", value: .percent(hundredths: 250)))
    #expect(
      json.text == #"{"text":"2.5%","kind":"percent","minor_units":null,"currency":null,"#
        + #""percent":2.5,"up_to":false}"#)
  }

  @Test("a reward without an exact value has no numbers")
  func writesTextReward() {
    var json = JSONWriter()
    json.value(Reward(text: "Free"))
    #expect(
      json.text == #"{"text":"Free","kind":"text","minor_units":null,"currency":null,"#
        + #""percent":null,"up_to":false}"#)
  }

  @Test("Foundation reads back the same values")
  func readsBack() throws {
    let data = Data(Self.json(Self.full, isFavorite: true).utf8)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object.count == 22)
    #expect(object["name"] as? String == "Café \"Lumière\"")
    #expect(object["terms"] as? String == "a\nb")
    #expect(object["favorite"] as? Bool == true)
    let reward = try #require(object["reward"] as? [String: Any])
    #expect(reward.count == 7)
    #expect(reward["minor_units"] as? Int == 75)
    #expect(reward["percent"] is NSNull)
  }
}
