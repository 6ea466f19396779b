import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Exports and copies of watches, notices and channels")
struct OutboxTransferRules {
  private static func settings(_ kind: String) -> String {
    #"{"kind":"\#(kind)","words":["https://ntfy.example/a"],"options":{},"private":false}"#
  }

  /// A store with two watches, of which one is paused, two channels, and a notice of which one is delivered.
  private static func filled(_ kind: StoreKind) async throws -> WatchHome {
    let home = try await WatchHome(kind)
    try await home.sync([("1", "Coffee", 200), ("2", "Tea", 300)], at: 1000)
    // Its number is not used again.
    try await home.store.removeWatch(try await home.watch("jam").id)
    try await home.watch("coffee", "at-least $3", isUrgent: true)
    let paused = try await home.watch("tea", "ending 3d", repeats: "never")
    _ = try await home.store.setWatch(paused.id, isPaused: true, now: .at(1600), WatchHome.reader)
    let channels = [("desk", "command"), ("phone", "ntfy"), ("mail", "email")]
    for (name, kind) in channels {
      _ = try await home.store.addChannel(
        named: name, settings: settings(kind),
        quietHours: name == "phone" ? try QuietHours(parsing: "22:00-7:00") : nil)
    }
    _ = try await home.store.changeChannel(named: "phone", becomesDefault: true)
    try await home.sync([("1", "Coffee", 300), ("2", "Tea", 300)], at: 2000)
    let desk = try await home.store.fetchChannel(named: "desk").id
    let message = try #require(try await home.store.claimMessage(of: desk, at: .at(2001)))
    try await home.store.finish(message, .delivered, at: .at(2002))
    let phone = try await home.store.fetchChannel(named: "phone").id
    _ = try #require(try await home.store.claimMessage(of: phone, at: .at(2003)))
    return home
  }

  /// A store with the export of another one.
  private static func copy(
    of home: WatchHome, in kind: StoreKind, reader: Bool, accepts: Bool = true
  ) async throws -> (home: WatchHome, summary: ImportSummary) {
    let other = try await WatchHome(kind)
    let summary = try await other.store.importRecords(
      from: try await home.store.exported(), feeds: ["ibotta"], acceptsDefinitions: accepts,
      reader: reader ? WatchHome.reader : nil)
    return (other, summary)
  }

  @Test("an export has watches, and channels that run no program, and an import adds them once")
  func exported() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.filled(kind)
      let kept = try await home.store.exported()
      let user = try #require(kept.users.first)
      #expect(user.watches.map(\.rule) == ["at-least $3", "ending 72h"])
      #expect(user.watches.map(\.isUrgent) == [true, false])
      #expect(user.channels.map(\.name) == ["phone", "mail"])
      #expect(try await home.store.exported(favoritesOnly: true).users.first?.watches == [])
      let (other, summary) = try await Self.copy(of: home, in: kind, reader: true)
      #expect(summary.newWatches == 2 && summary.newChannels == 2)
      #expect(try await other.store.exported().text() == kept.text())
      let watches = try await other.store.fetchWatches(WatchHome.reader)
      #expect(watches.map { $0.pausedAt == nil } == [true, false])
      #expect(try await other.store.fetchChannel(named: nil).name == "phone")
      let again = try await other.store.importRecords(
        from: kept, feeds: ["ibotta"], acceptsDefinitions: true, reader: WatchHome.reader)
      #expect(again.newWatches == 0 && again.newChannels == 0)
      #expect(try await other.store.exported().text() == kept.text())
    }
  }

  @Test("no export makes a program run, or sends a variable of another machine")
  func portable() async throws {
    let home = try await WatchHome(.memory)
    let texts = [
      (#"{"sendmail":"/tmp/evil"}"#, false), (#"{"token":"{env:AWS_SECRET}"}"#, false),
      (#"{"token":"{env:OFFERS_CHANNEL_A_TOKEN}{env:HOME}"}"#, false),
      (#"{"token":"{env:OFFERS_CHANNEL_A_TOKEN}"}"#, true),
    ]
    for (number, (options, _)) in texts.enumerated() {
      _ = try await home.store.addChannel(
        named: "\(number)",
        settings:
          #"{"kind":"email","words":["a@b.example"],"options":\#(options),"private":false}"#,
        quietHours: nil)
    }
    let exported = try await home.store.exported().users.first?.channels.map(\.name)
    #expect(exported == texts.enumerated().filter(\.element.1).map { "\($0.offset)" })
  }

  @Test("an imported watch tells of what enters after the import, and channels need consent")
  func begins() async throws {
    for kind in [StoreKind.memory, .postgres] {
      let home = try await Self.filled(kind)
      let (other, summary) = try await Self.copy(
        of: home, in: kind, reader: true, accepts: false)
      #expect(summary.leftOutChannels == ["phone", "mail"] && summary.newChannels == 0)
      try await other.sync([("1", "Coffee", 310), ("3", "Iced coffee", 400)], at: 5000)
      #expect(try await other.told() == ["3: is $4.00, at least $3.00"])
    }
  }

  @Test("a copy tells of each change of a favorite, whatever number the change gets there")
  func copiedFavorites() async throws {
    for (source, target) in [(StoreKind.memory, StoreKind.postgres), (.memory, .memory)] {
      let home = try await WatchHome(source)
      try await home.sync([("1", "Coffee", 200)], at: 1000)
      try await home.store.setFavorites(named: ["1"], to: true)
      for number in 1...4 {
        try await home.sync([("1", "Coffee", Int64(200 + number))], at: 1000 + number)
      }
      // Numbers of changes that were removed are free in a copy.
      _ = try await home.store.transaction(.write) { transaction in
        try transaction.run("DELETE FROM change WHERE change_id BETWEEN 2 AND 3")
      }
      let outbox = try await home.store.fetchOutbox()
      let (other, _) = try await Self.copy(of: home, in: target, reader: false)
      #expect(try await other.store.putOutbox(outbox))
      let count = try await other.store.countNotices()
      for number in 5...8 {
        try await other.sync([("1", "Coffee", Int64(200 + number))], at: 1000 + number)
      }
      #expect(try await other.store.countNotices() == count + 4)
    }
  }

  @Test("a copy has the numbers, the states and what waits, and a second one writes nothing")
  func copied() async throws {
    for (source, target) in [
      (StoreKind.memory, StoreKind.postgres), (.postgres, .memory), (.memory, .memory),
    ] {
      let home = try await Self.filled(source)
      let outbox = try await home.store.fetchOutbox()
      let (other, _) = try await Self.copy(of: home, in: target, reader: false)
      #expect(try await other.store.putOutbox(outbox))
      func told(_ home: WatchHome) async throws -> [Notice] { try await home.store.fetchNotices() }
      #expect(try await told(other) == told(home))
      let watches = try await other.store.fetchWatches(WatchHome.reader)
      #expect(try await watches == home.store.fetchWatches(WatchHome.reader))
      #expect(watches.map(\.id) == [2, 3])
      #expect(try await other.store.fetchDeliveries() == home.store.fetchDeliveries())
      #expect(try await other.store.fetchIdentity() == home.store.fetchIdentity())
      // The message that a process of the source had claimed waits for one of the target.
      let phone = try await other.store.fetchChannel(named: "phone").id
      #expect(try await other.store.claimMessage(of: phone, at: .at(2004)) != nil)
      // The watch remembers that it has told of the coffee.
      try await other.sync([("1", "Coffee", 320), ("2", "Tea", 300)], at: 3000)
      #expect(try await told(other) == told(home))
      #expect(try await !other.store.putOutbox(outbox))
      #expect(try await other.watch("milk").id == 4)
    }
  }
}
