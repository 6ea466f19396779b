import OffersTestSupport

/// A simulated server whose offers appear, change and vanish at random.
struct ChangingFeed {
  /// The source of randomness.
  var random: SeededGenerator
  private var offers: [Int: ExpectedOffer] = [:]
  /// All offers that the server ever had.
  private var past: [Int: ExpectedOffer] = [:]
  private let isVouching: Bool
  private var texts: [String] = []

  /// The kinds of changes between two syncs.
  private enum Event: CaseIterable {
    case vanish, vanish2, comeBack, comeAllBack, add, change, change2, reuse, empty, shrink
    case replaceAll, nothing
  }

  private static let names = ["Tea", "Milk", "Bread", "Lamp", "Bike"]

  init(number: Int) {
    random = SeededGenerator(number: number)
    isVouching = Bool.random(using: &random)
    // More than ten offers, so that removals can be held back, or too few for one.
    add(chance(50) ? 12...16 : 1...6)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func pick<Element: Comparable>(_ elements: some Sequence<Element>) -> Element? {
    elements.sorted().randomElement(using: &random)
  }

  /// Changes the offers, and returns the server's next response.
  mutating func next() -> ExpectedDocument {
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      if let event = Event.allCases.randomElement(using: &random) { happen(event) }
    }
    if chance(12) { return unreadable() }
    var broken: Set<Int> = []
    if chance(10), let id = pick(past.keys) { broken.insert(id) }
    if chance(3) { broken.formUnion(offers.keys) }
    let said = offers.filter { !broken.contains($0.key) }
    let isReversed = chance(20)
    let ids = broken.union(offers.keys).sorted { isReversed ? $0 > $1 : $0 < $1 }
    let records = ids.map { id in
      said[id].map { #"{"id":"\#(id)","name":"\#($0.name)","current_value":"\#($0.reward)"}"# }
        ?? #"{"id":"\#(id)"}"#
    }
    let text = FeedText.list(records)
    return ExpectedDocument(text: text, etag: tag(text), offers: said, broken: broken)
  }

  private mutating func happen(_ event: Event) {
    let someID = pick(offers.keys)
    switch event {
    case .vanish, .vanish2:
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if let id = pick(offers.keys) { offers[id] = nil }
      }
    case .comeBack:
      if let id = pick(past.keys) { offers[id] = past[id] }
    case .comeAllBack: offers = past
    case .add: add(1...3)
    case .change, .change2:
      if let someID { put(someID, offers[someID]?.name ?? "") }
    case .reuse:
      if let id = pick(past.keys) { put(id, name(but: past[id]?.name)) }
    case .empty: offers = [:]
    case .shrink: offers = offers.filter { $0.key == someID }
    case .replaceAll:
      offers = [:]
      add(1...3)
    case .nothing: break
    }
  }

  private mutating func add(_ count: ClosedRange<Int>) {
    for _ in 0..<Int.random(in: count, using: &random) { put(past.count + 1, name(but: nil)) }
  }

  private mutating func put(_ id: Int, _ name: String) {
    let cents = Int.random(in: 100...999, using: &random)
    let offer = ExpectedOffer(name: name, reward: "$\(cents / 100).\(cents % 100 / 10)0 Cash Back")
    offers[id] = offer
    past[id] = offer
  }

  private mutating func name(but old: String?) -> String {
    Self.names.filter { $0 != old }.randomElement(using: &random) ?? ""
  }

  private mutating func unreadable() -> ExpectedDocument {
    let texts = [
      "", "<html>Log in</html>", #"[{"id":"1","name":"Tea""#, #"[{"id":"1","name":"Tea"} {"#, "404",
    ]
    return ExpectedDocument(
      text: texts.randomElement(using: &random) ?? "", etag: isVouching ? "\"broken\"" : nil,
      isUnreadable: true)
  }

  /// Equal documents have equal tags, even if other documents were served in between.
  private mutating func tag(_ text: String) -> String? {
    if !isVouching { return nil }
    let version = texts.firstIndex(of: text) ?? texts.count
    if version == texts.count { texts.append(text) }
    return "\"v\(version)\""
  }
}
