import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Deliveries")
struct OutboxRules {
  private static let settings = #"{"kind":"command","words":["true"],"options":{},"private":false}"#

  /// A store with a favorite of the owner and two channels.
  private static func home(_ kind: StoreKind, quiet: String? = nil) async throws -> WatchHome {
    let home = try await WatchHome(kind)
    try await home.sync([("1", "Coffee", 200)], at: 1000)
    try await home.store.setFavorites(named: ["1"], to: true)
    for name in ["phone", "mail"] {
      _ = try await home.store.addChannel(
        named: name, settings: settings, quietHours: try quiet.map { try QuietHours(parsing: $0) })
    }
    return home
  }

  private static func channel(_ home: WatchHome, _ name: String) async throws -> UserChannel {
    try await home.store.fetchChannel(named: name)
  }

  @Test("each channel gets each notice once, whatever happens to the others")
  func twoChannels() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let due = try await home.store.fetchDueChannels(at: .at(2000))
      #expect(due.count == 2)
      let phone = try #require(try await home.store.claimMessage(of: due[0], at: .at(2000)))
      #expect(phone.notices.map(\.name) == ["Coffee"])
      // Nobody else gets the message meanwhile.
      #expect(try await home.store.claimMessage(of: due[0], at: .at(2001)) == nil)
      try await home.store.finish(phone, .delivered, at: .at(2002))
      #expect(try await home.store.claimMessage(of: due[0], at: .at(2003)) == nil)
      let mail = try #require(try await home.store.claimMessage(of: due[1], at: .at(2003)))
      try await home.store.finish(mail, .later("busy"), at: .at(2004))
      #expect(try await home.store.fetchDueChannels(at: .at(2010)) == [])
      #expect(try await Self.channel(home, "mail").lastError == "busy")
      let again = try #require(try await home.store.claimMessage(of: due[1], at: .at(2070)))
      #expect(again.id == mail.id && again.notices == mail.notices)
      let states = try await home.store.fetchDeliveries().map { "\($0.channel) \($0.state)" }
      #expect(states == ["phone delivered", "mail waiting"])
    }
  }

  @Test("a message of a process that was killed is tried again with its identity")
  func killed() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let due = try await home.store.fetchDueChannels(at: .at(2000))
      let first = try #require(try await home.store.claimMessage(of: due[0], at: .at(2000)))
      try await home.sync([("1", "Coffee", 400)], at: 2050)
      let second = try #require(try await home.store.claimMessage(of: due[0], at: .at(2200)))
      #expect(second.id == first.id && second.notices.count == 1)
      // The first process lives, and its lease is over.
      try await home.store.finish(first, .delivered, at: .at(2201))
      #expect(try await home.store.fetchDeliveries(.delivered).isEmpty)
      try await home.store.finish(second, .delivered, at: .at(2202))
      let third = try #require(try await home.store.claimMessage(of: due[0], at: .at(2203)))
      #expect(third.id != first.id && third.notices.count == 1)
    }
  }

  @Test("in quiet hours only what is urgent is delivered")
  func quietHours() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind, quiet: "22:00-7:00 UTC")
      let night = 23 * 3600
      try await home.watch("coffee", "at-least $4", isUrgent: true)
      try await home.sync([("1", "Coffee", 300)], at: night)
      let due = try await home.store.fetchDueChannels(at: .at(night))
      #expect(try await home.store.claimMessage(of: due[0], at: .at(night)) == nil)
      try await home.sync([("1", "Coffee", 400)], at: night + 60)
      let urgent = try #require(try await home.store.claimMessage(of: due[0], at: .at(night + 60)))
      #expect(urgent.notices.map(\.isUrgent) == [true])
      try await home.store.finish(urgent, .delivered, at: .at(night + 61))
      let morning = 31 * 3600 + 60
      let rest = try #require(try await home.store.claimMessage(of: due[0], at: .at(morning)))
      #expect(rest.notices.count == 2)
    }
  }

  @Test("the next due time is that of the first attempt, behind quiet hours, or of a reminder")
  func nextDueTime() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind, quiet: "22:00-7:00 UTC")
      func next(_ seconds: Int) async throws -> Date? {
        try await home.store.fetchNextDueTime(after: .at(seconds))
      }
      #expect(try await next(1000) == nil)
      let (noon, night) = (12 * 3600, 23 * 3600)
      try await home.sync([("1", "Coffee", 300)], at: noon)
      #expect(try await next(noon) == .at(noon))
      #expect(try await next(night) == .at(31 * 3600))
      for name in ["phone", "mail"] {
        let id = try await Self.channel(home, name).id
        let message = try #require(try await home.store.claimMessage(of: id, at: .at(noon)))
        let again = Date.at(noon + (name == "phone" ? 7200 : 3600))
        try await home.store.finish(message, .later(after: again, reason: "busy"), at: .at(noon))
      }
      #expect(try await next(noon + 1) == .at(noon + 3600))
      for name in ["phone", "mail"] { try await home.store.removeChannel(named: name) }
      #expect(try await next(noon + 1) == nil)
      try await home.watch("coffee", "at-least $4", repeats: "daily")
      try await home.sync([("1", "Coffee", 500)], at: noon + 60)
      #expect(try await next(noon + 61) == .at(noon + 60 + 86_400))
    }
  }

  @Test("a channel that has ended is paused, says why, and begins anew when it is set up again")
  func ended() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let id = try await Self.channel(home, "phone").id
      let message = try #require(try await home.store.claimMessage(of: id, at: .at(2000)))
      try await home.store.finish(message, .ended(reason: "unknown token"), at: .at(2001))
      #expect(try await Self.channel(home, "PHONE").endedReason == "unknown token")
      #expect(try await home.store.claimMessage(of: id, at: .at(9000)) == nil)
      try await home.sync([("1", "Coffee", 400)], at: 3000)
      _ = try await home.store.changeChannel(named: "phone", settings: Self.settings)
      let again = try #require(try await home.store.claimMessage(of: id, at: .at(9000)))
      #expect(again.id == message.id)
    }
  }

  @Test("a time that a wrong clock has written holds nothing up")
  func wrongClock() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let id = try await Self.channel(home, "phone").id
      let year = 365 * 86_400
      let first = try #require(try await home.store.claimMessage(of: id, at: .at(year)))
      #expect(try await home.store.fetchDueChannels(at: .at(2100)).contains(id))
      #expect(try await home.store.fetchNextDueTime(after: .at(2100)) == .at(2100))
      let second = try #require(try await home.store.claimMessage(of: id, at: .at(2100)))
      #expect(second.id == first.id)
      try await home.store.finish(second, .later("busy"), at: .at(year))
      #expect(try await home.store.claimMessage(of: id, at: .at(2200)) != nil)
    }
  }

  @Test("quiet hours that are changed during an attempt do not repeat it, and other settings do")
  func changedMeanwhile() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let id = try await Self.channel(home, "phone").id
      let first = try #require(try await home.store.claimMessage(of: id, at: .at(2000)))
      _ = try await home.store.changeChannel(
        named: "phone", quietHours: .some(nil), becomesDefault: true)
      #expect(try await home.store.claimMessage(of: id, at: .at(2001)) == nil)
      _ = try await home.store.changeChannel(
        named: "phone", settings: Self.settings.replacing("true", with: "false"))
      let second = try #require(try await home.store.claimMessage(of: id, at: .at(2002)))
      try await home.store.finish(first, .delivered, at: .at(2003))
      #expect(try await home.store.countDeliveries(.delivered) == 0)
      try await home.store.finish(second, .delivered, at: .at(2004))
      #expect(try await home.store.countDeliveries(.delivered) == 1)
    }
  }

  @Test("what is tried for seven days is lost, and what is refused at once")
  func lost() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let id = try await Self.channel(home, "phone").id
      var (now, count) = (2000, 0)
      while true {
        let time = Date.at(now)
        guard let message = try await home.store.claimMessage(of: id, at: time) else { break }
        try await home.store.finish(message, .later("silent"), at: time)
        count += 1
        let next = try await Self.channel(home, "phone").nextAttemptAt
        now = Int(next?.timeIntervalSince1970 ?? 0)
      }
      #expect(now > 2000 + 7 * 86_400 - 6 * 3600 && (30...50).contains(count))
      #expect(try await home.store.fetchDeliveries(.lost).map(\.channel) == ["phone"])
      let mail = try await Self.channel(home, "mail").id
      let message = try #require(try await home.store.claimMessage(of: mail, at: .at(3000)))
      try await home.store.finish(message, .refused(reason: "too long"), at: .at(3000))
      #expect(try await home.store.fetchDeliveries(.waiting).isEmpty)
    }
  }

  @Test("channels are a user's own, and the first is the default until another becomes it")
  func channels() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      let ana = home.store.bound(to: try await home.store.addUser(named: "Ana", role: .member))
      #expect(try await ana.fetchChannels().isEmpty)
      #expect(try await home.store.fetchChannel(named: nil).name == "phone")
      _ = try await home.store.changeChannel(named: "mail", becomesDefault: true)
      #expect(try await home.store.fetchChannel(named: nil).name == "mail")
      try await home.store.removeChannel(named: "mail")
      #expect(try await home.store.fetchChannel(named: nil).name == "phone")
      let taken = await refusal {
        _ = try await home.store.addChannel(
          named: "Phone", settings: Self.settings, quietHours: nil)
      }
      #expect(taken?.code == .invalidRequest)
      #expect(
        await refusal { try await home.store.removeChannel(named: "fone") }?.code == .notFound)
    }
  }

  @Test("a subscription is one channel of one user, whoever subscribes last, and begins anew then")
  func subscriptions() async throws {
    for kind in StoreKind.allCases {
      let home = try await Self.home(kind)
      let ana = home.store.bound(to: try await home.store.addUser(named: "Ana", role: .member))
      func subscribe(_ store: OffersDatabase, _ settings: String) async throws -> String {
        try await store.subscribe(named: "Phone", settings: settings) { $0 == settings }.name
      }
      #expect(try await subscribe(home.store, "1") == "Phone 2")
      #expect(try await subscribe(home.store, "2") == "Phone 3")
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      let id = try await Self.channel(home, "phone 2").id
      let message = try #require(try await home.store.claimMessage(of: id, at: .at(2000)))
      try await home.store.finish(message, .ended(reason: "gone"), at: .at(2001))
      #expect(try await Self.channel(home, "phone 2").endedReason == "gone")
      #expect(try await subscribe(home.store, "1") == "Phone 2")
      let again = try #require(try await home.store.claimMessage(of: id, at: .at(2002)))
      #expect(again.id == message.id)
      #expect(try await subscribe(ana, "1") == "Phone")
      #expect(try await home.store.fetchChannels().map(\.name) == ["phone", "mail", "Phone 3"])
      #expect(try await ana.fetchChannels().map(\.isDefault) == [true])
    }
  }
}
