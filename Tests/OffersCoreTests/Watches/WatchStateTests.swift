import Foundation
import OffersTestSupport
import Testing

@testable import OffersCore

@Suite("What a watch remembers of an offer")
struct WatchStateTests {
  private static func random(_ random: inout SeededGenerator) -> WatchState {
    func number() -> Int64 {
      [0, 1, -1, .min, .max, 1_764_423_493, Int64(truncatingIfNeeded: random.next())][
        random.below(7)]
    }
    var state = WatchState()
    if random.below(4) > 0 { state.seenAt = number() }
    if random.below(2) > 0 { state.toldAt = number() }
    if random.below(2) > 0 { state.outsideSince = number() }
    state.isInside = random.below(2) > 0
    let currency = [nil, "USD", "", "Ω €", "twelve bytes"][random.below(5)]
    if random.below(2) > 0 {
      let exact: Reward.Value =
        random.below(2) > 0
        ? .percent(hundredths: number()) : .amount(minorUnits: number(), currency: currency)
      state.reference = .init(exact: exact, isUpTo: random.below(2) > 0)
      if random.below(2) > 0 { state.turned = number() }
    }
    return state
  }

  @Test("any state is written as a short text and read again")
  func roundTrip() {
    var random = SeededGenerator(number: 6001)
    for _ in 0..<2000 {
      let state = Self.random(&random)
      #expect(state.text.utf8.count <= 160)
      #expect(WatchState(parsing: state.text) == state, "\(state.text)")
    }
  }

  @Test("a text that is no state is refused, and damage never traps")
  func damaged() {
    for text in [
      "x", "s", "s1t2", "s99999999999999999999", "%", "r1 % cUSD", "cUSD", "r", "n1", "s--1", "s1,",
      "r1 cTHIRTEENBYTES",
    ] {
      #expect(WatchState(parsing: text) == nil, "\(text)")
    }
    var random = SeededGenerator(number: 6002)
    for _ in 0..<2000 {
      var bytes = Array(Self.random(&random).text.utf8)
      for _ in 0..<2 where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      let state = WatchState(parsing: String(decoding: bytes, as: UTF8.self)) ?? WatchState()
      let observation = WatchObservation(
        at: WatchedOffer.date(0), value: .percent(hundredths: 5), role: .price)
      for rule in [WatchRule.match, .up(by: nil), .best(days: .max), .ending(seconds: .min)] {
        _ = rule.advance(state, observation, repeats: .daily) { [] }
      }
    }
  }

  @Test("a state is blank until there is something to remember")
  func blank() throws {
    var offer = try WatchedOffer("at-least $2")
    _ = offer.see(0, "$1")
    #expect(offer.state.isBlank && WatchState().text.isEmpty)
    let before = offer.state
    _ = offer.see(1, "$1.50")
    #expect(offer.state.hasSameMemory(as: before) && offer.state != before)
    _ = offer.see(2, "$2")
    #expect(!offer.state.isBlank)
  }

  @Test("a daily reminder has a time as long as the rule holds")
  func reminder() throws {
    var offer = try WatchedOffer("at-least $2", .daily)
    _ = offer.see(0, "$2")
    #expect(offer.state.reminderAt(.daily) == WatchedOffer.date(24))
    #expect(offer.state.reminderAt(.onEntry) == nil)
    _ = offer.see(1, "$1")
    #expect(offer.state.reminderAt(.daily) == nil)
  }
}
