import Foundation
import OffersCore
import Synchronization

@testable import OffersServer

/// Proposes feeds without reading anything, and remembers what was added.
final class ScriptedAdder: FeedAdder {
  /// An added feed: its name, and the chosen title.
  struct Added: Hashable, Sendable {
    let name: String
    let title: String?
  }

  /// The proposal for an address below `https://tea.example/`; the addresses `refused` and `held`
  /// below it are refused, and held back until the task is cancelled or `letGo` is called; `busy` keeps a
  /// thread busy until the task is cancelled, as a guess does.
  static func proposal(_ source: String, name: String?, title: String? = "Tea Shop") -> FeedProposal
  {
    let offers = ["Green Tea", "<b>Black</b> Tea"].enumerated().map { index, text in
      Offer(
        ref: OfferRef(feed: name ?? "tea-shop", offerID: String(index)), name: text,
        reward: Reward(text: "$\(index + 1).00", value: nil, isUpTo: false),
        imageURL: index == 0 ? URL(string: "https://tea.example/green.png") : nil,
        firstSeenAt: .distantPast, changedAt: .distantPast)
    }
    return FeedProposal(
      source: source, name: name ?? "tea-shop", title: title, format: "json",
      presentation: FeedPresentation(noun: OfferNoun("tea")),
      fields: [
        FeedProposal.Field(name: "name", from: "title", offerCount: 12),
        FeedProposal.Field(name: "reward", from: "price.amount", offerCount: 10),
      ], recordCount: 13, offerCount: 12, offers: offers,
      notes: ["The currency of the rewards is unknown."], definition: "feeds: {}\n")
  }

  let proposedSources = Mutex<[String]>([])
  let added = Mutex<[Added]>([])
  let wasCancelled = Mutex(false)
  private let release = AsyncStream.makeStream(of: Void.self)
  private let addError: OffersError?

  /// - Parameter addError: the error of every attempt to add; nil for none.
  init(addError: OffersError? = nil) {
    self.addError = addError
  }

  func letGo() { release.continuation.finish() }

  func propose(source: String, name: String?) async throws -> FeedProposal {
    proposedSources.withLock { $0.append(source) }
    if source.hasSuffix("refused") {
      throw OffersError(.malformedFeed, "This is a web page, not a feed.", hint: "Look for RSS.")
    }
    if source.hasSuffix("busy") {
      do {
        try await OwnThread.runTask { while true { try Task.checkCancellation() } }
      } catch {
        wasCancelled.withLock { $0 = true }
        throw error
      }
    }
    if source.hasSuffix("held") {
      for await _ in release.stream {}
      if Task.isCancelled {
        wasCancelled.withLock { $0 = true }
        throw CancellationError()
      }
    }
    return Self.proposal(source, name: name)
  }

  func add(_ proposal: FeedProposal, name: String, title: String?) throws {
    if let addError { throw addError }
    added.withLock { $0.append(Added(name: name, title: title)) }
  }
}
