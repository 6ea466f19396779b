import Foundation
import OffersCore
import OffersStore
import OffersTestSupport

/// A random operation on a store, which can be run on another store as well.
enum RandomStep: Sendable {
  /// Whether a step is that of the owner or of another user, who may be removed.
  enum Actor: CaseIterable, Sendable { case owner, ana }

  case sync([FeedOffer], feed: String, at: Int)
  /// The offers that a search on a feed's server returns.
  case find([FeedOffer], feed: String, at: Int)
  case fail(feed: String, at: Int)
  case subscribe(feed: String)
  case unsubscribe(feed: String)
  case star(names: [String], isFavorite: Bool, by: Actor)
  case share(names: [String], at: Int, by: Actor)
  case unshare(names: [String], by: Actor)
  case note(words: String, feed: String?, by: Actor)
  case mark(Int64, by: Actor)
  case removeAna

  static let feeds = ["grocer", "shop", "tea"]
  private static let words = ["green tea", "Green", "TEA", "jam", "Café", "cafe"]

  /// - Parameter clock: the time of the last step, which goes on, sometimes backwards.
  static func random(clock: inout Int, using random: inout SeededGenerator) -> RandomStep {
    clock += Int.random(in: -200...2000, using: &random)
    let feed = feeds.randomElement(using: &random) ?? ""
    let actor = Actor.allCases.randomElement(using: &random) ?? .owner
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<14: return .sync(offers(in: 1...18, at: clock, &random), feed: feed, at: clock)
    case 14..<18: return .find(offers(in: 13...21, at: clock, &random), feed: feed, at: clock)
    case 18: return .fail(feed: feed, at: clock)
    case 19: return .subscribe(feed: feed)
    case 20: return .unsubscribe(feed: feed)
    case 21..<35:
      let names = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        let id = "\(Int.random(in: 1...21, using: &random))"
        return Int.random(in: 0..<5, using: &random) == 0 ? id : "\(feed):\(id)"
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: return .share(names: names, at: clock, by: actor)
      case 2: return .unshare(names: names, by: actor)
      default: break
      }
      return .star(names: names, isFavorite: Int.random(in: 0..<3, using: &random) > 0, by: actor)
    case 35, 36:
      return .note(
        words: words.randomElement(using: &random) ?? "",
        feed: Bool.random(using: &random) ? nil : feed,
        by: actor)
    case 37, 38: return .mark(Int64.random(in: 0...99, using: &random), by: actor)
    default: return .removeAna
    }
  }

  /// Offers of which those from 13 on never change: what a search finds is no change, so that the
  /// reward that it had before would be unknown.
  private static func offers(
    in numbers: ClosedRange<Int>, at time: Int, _ random: inout SeededGenerator
  ) -> [FeedOffer] {
    numbers.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.map { number in
      if number > 12 { return FeedOffer("\(number)", name: "Tea \(number)", reward: .dollars(75)) }
      let name = ["Green Tea", "Jam", "Café"].randomElement(using: &random) ?? ""
      var reward: Reward?
      switch Int.random(in: 0..<5, using: &random) {
      case 0: reward = Reward(text: "5%", value: .percent(hundredths: 500))
      case 1: reward = .dollars(50, "Up to $50", upTo: true)
      case 2, 3: reward = .dollars(Int64.random(in: 1...3, using: &random) * 25)
      default: break
      }
      var more: [OfferField: String] = [:]
      if number.isMultiple(of: 4) {
        more[.expiresAt] = "\(time + Int.random(in: -100...200_000, using: &random))"
      }
      if number.isMultiple(of: 3) { more[.retailer] = "Mart \(number % 2)" }
      return FeedOffer("\(number)", name: name, reward: reward, more: more)
    }.shuffled(using: &random)
  }

  /// Runs the step on a store, through one of its bindings to the user who acts.
  ///
  /// - Returns: what the call returns, or the code of its error, as text.
  func run(on store: OffersDatabase, ana: User) async throws -> String {
    func database(of actor: Actor) -> OffersDatabase {
      actor == .owner ? store : store.bound(to: ana)
    }
    do {
      switch self {
      case .sync(let offers, let feed, let time):
        return Self.text(try await store.sync(offers, feed: feed, at: time))
      case .find(let offers, let feed, let time):
        return Self.text(
          try await store.apply(store.plan(offers, feed: feed, at: time, isSearch: true)))
      case .fail(let feed, let time):
        let run = SyncRun(
          feed: feed, source: "/x", outcome: .failed, bytes: 0, startedAt: .at(time),
          durationSeconds: 0, error: OffersError(.sourceFailed, "No answer."))
        try await store.record(run, remember: nil, fetch: nil)
        return ""
      case .subscribe(let feed):
        return "\(try await store.subscribe(to: feed, source: "/y"))"
      case .unsubscribe(let feed): return "\(try await store.unsubscribe(from: feed))"
      case .star(let names, let isFavorite, let actor):
        return try await database(of: actor).setFavorites(named: names, to: isFavorite).map {
          "\($0.offer.ref) \($0.didChange) \($0.offer.isFavorite)"
        }.joined(separator: ", ")
      case .share(let names, let time, let actor):
        return Self.text(try await database(of: actor).share(named: names, at: .at(time)))
      case .unshare(let names, let actor):
        return Self.text(try await database(of: actor).unshare(named: names))
      case .note(let words, let feed, let actor):
        try await database(of: actor).noteSearch(
          RecentSearch(words: words, feed: feed, searchedAt: .at(1)))
        return ""
      case .mark(let id, let actor):
        try await database(of: actor).setMark(ReaderMark(changeID: id, readAt: .at(1)), of: "mail")
        return ""
      case .removeAna:
        try await store.removeUser(ana.id)
        return ""
      }
    } catch let error as OffersError {
      return "\(error.code)"
    }
  }

  private static func text(_ changes: [SharingChange]) -> String {
    changes.map { "\($0.offer.id) \($0.didChange) \($0.offer.sharers)" }.joined(separator: ", ")
  }

  private static func text(_ run: SyncRun) -> String {
    "\(run.counts) \(run.returned) \(run.problems)"
  }
}
