import Foundation
import OffersCore
import OffersPlatform
import OffersStore

/// Delivers the notices that wait, over the channels of all users: one message a channel and run.
///
/// Several processes and nodes may deliver at the same time: a channel is given to one of them (`claimMessage`). A
/// message whose process was killed is tried again when its lease has ended, with the same identity.
package struct NoticeDelivery: Sendable {
  /// What a run did.
  package struct Summary: Hashable, Sendable {
    /// The messages that were delivered.
    package var deliveries: [Delivery] = []
    /// The failures: the name of the channel, and a sentence.
    package var failures: [Failure] = []

    /// The number of messages that were delivered.
    package var deliveredCount: Int { deliveries.count }

    package struct Delivery: Hashable, Sendable {
      package let channel: String
      /// The user whose channel it is.
      package let user: User.ID
      /// The number of notices of the message.
      package let noticeCount: Int
    }

    package struct Failure: Hashable, Sendable {
      package let channel: String
      /// The user whose channel it is.
      package let user: User.ID
      package let reason: String
      /// Whether nothing is delivered over the channel until somebody sets it up again.
      package let isEnd: Bool
      /// The number of notices that are not tried again: the receiver does not take them, or they were tried for 7 days.
      package let lostCount: Int
    }
  }

  private let database: OffersDatabase
  private let tools: ChannelTools
  private let reader: any FilterTextReader
  /// The address of the server whose pages show notices; nil without one.
  private let pages: URL?
  private let now: @Sendable () -> Date

  package init(
    _ database: OffersDatabase, _ tools: ChannelTools, _ reader: any FilterTextReader,
    pages: URL? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.database = database
    self.tools = tools
    self.reader = reader
    self.pages = pages
    self.now = now
  }

  /// Delivers over each channel with something to deliver, several channels at a time.
  ///
  /// - Throws: `OffersError` if the database cannot be read or written. A failure of a channel is part of the summary.
  package func run() async throws -> Summary {
    let channels = try await database.fetchDueChannels(at: now())
    return try await withThrowingTaskGroup(of: Result<Attempt?, any Error>.self) { group in
      var rest = channels[...]
      for channel in rest.prefix(Self.parallelCount) {
        group.addTask { await attempt(over: channel) }
      }
      rest = rest.dropFirst(Self.parallelCount)
      var summary = Summary()
      var failure: (any Error)?
      while let result = try await group.next() {
        switch result {
        case .success(let attempt?): summary.add(attempt)
        case .success(nil): break
        case .failure(let error): failure = failure ?? error
        }
        if let channel = rest.popFirst() { group.addTask { await attempt(over: channel) } }
      }
      if let failure { throw failure }
      return summary
    }
  }

  /// The attempt of a channel, or its error, which keeps no other channel from its end.
  private func attempt(over channel: UserChannel.ID) async -> Result<Attempt?, any Error> {
    do { return .success(try await deliver(over: channel)) } catch { return .failure(error) }
  }

  fileprivate struct Attempt: Sendable {
    let channel: String
    let user: User.ID
    let noticeCount: Int
    let outcome: DeliveryOutcome
    var lostCount = 0
  }

  /// The number of channels over which a run delivers at the same time.
  private static let parallelCount = 4

  /// Delivers the next message of a channel.
  ///
  /// - Returns: nil if there was nothing to deliver.
  private func deliver(over id: UserChannel.ID) async throws -> Attempt? {
    guard let claimed = try await database.claimMessage(of: id, at: now()) else { return nil }
    let (name, user) = (claimed.channel.name, claimed.user)
    let channel: any NoticeChannel
    do {
      channel = try ChannelSettings(json: claimed.channel.settings).makeChannel(tools)
    } catch {
      // This machine may lack a variable that another one has.
      let reason = [error.message, error.hint?.text].compactMap(\.self).joined(separator: " ")
      try await database.release(claimed, because: reason, at: now())
      return Attempt(
        channel: name, user: user, noticeCount: claimed.notices.count, outcome: .later(reason))
    }
    let message = try await message(of: claimed)
    var outcome = await channel.deliver(message)
    // The message may be too large, or have a part that the receiver does not take.
    if case .refused = outcome, message != message.brief {
      outcome = await channel.deliver(message.brief)
    }
    // What the receiver has is recorded even if the task is cancelled.
    let lostCount = try await Task { [database, now, outcome] in
      try await database.finish(claimed, outcome, at: now())
    }.value
    return Attempt(
      channel: name, user: user, noticeCount: claimed.notices.count, outcome: outcome,
      lostCount: lostCount)
  }

  /// The message of some notices. Those of the same offer are one entry.
  private func message(of claimed: ClaimedMessage) async throws -> NoticeMessage {
    let database = database.bound(
      to: User(id: claimed.user, name: "", role: .viewer, createdAt: now()))
    var subjects: [String] = []
    var notices: [String: [Notice]] = [:]
    for notice in claimed.notices {
      let subject = notice.offer?.description ?? notice.feed
      if notices[subject] == nil { subjects.append(subject) }
      notices[subject, default: []].append(notice)
    }
    let feeds = try await database.fetchPresentations()
    var entries: [NoticeMessage.Entry] = []
    for subject in subjects.prefix(NoticeMessage.mostEntries) {
      guard let own = notices[subject], let last = own.last else { continue }
      let offer: UserOffer? =
        if let ref = last.offer { try await database.findOffer(ref) } else { nil }
      entries.append(entry(own, last, offer, feeds[last.feed]?.valueRole ?? .reward))
    }
    let title =
      subjects.count == 1
      ? entries.first?.text ?? ""
      : "\(Units.count(subjects.count, "notice")): \(entries.map(\.name).joined(separator: ", "))"
    return NoticeMessage(
      id: claimed.id, time: claimed.notices.last?.at ?? now(), title: title, entries: entries,
      count: subjects.count, isUrgent: claimed.notices.contains(where: \.isUrgent),
      link: pages?.appending(path: "notices"), settingsLink: pages?.appending(path: "watches"))
  }

  private func entry(
    _ notices: [Notice], _ last: Notice, _ offer: UserOffer?, _ role: ValueRole
  ) -> NoticeMessage.Entry {
    let now = now()
    var sentences: [String] = []
    for sentence in notices.map({ $0.sentence(reader, at: now) })
    where !sentences.contains(sentence) { sentences.append(sentence) }
    var watches: [String] = []
    for watch in notices.compactMap(\.watchName) where !watches.contains(watch) {
      // A selection without words and filters has no text.
      watches.append(watch.isEmpty ? "all offers" : watch)
    }
    let facts: [(String, String?)] = [
      (role.rawValue, offer?.reward?.text), ("retailer", offer?.retailer),
      ("ends", offer?.expiresAt.map { ISOTime.text($0.storedSeconds) }), ("terms", offer?.terms),
      ("state", offer?.offer.state),
    ]
    return NoticeMessage.Entry(
      feed: last.feed, offer: last.offer, name: last.name,
      sentence: sentences.joined(separator: "; "),
      watch: watches.isEmpty ? nil : watches.joined(separator: "; "), link: offer?.url,
      facts: facts.compactMap { name, value in
        value.map { NoticeMessage.Entry.Fact(name, $0) }
      },
      command: Self.step(last, isFavorite: offer?.isFavorite ?? false)?.command)
  }
}

extension NoticeDelivery {
  /// Delivers a message over a channel now, to see whether it works. What waits for the channel stays.
  ///
  /// - Throws: `OffersError` if the channel cannot be made of its settings.
  package func test(_ channel: UserChannel) async throws -> DeliveryOutcome {
    let offer = try await database.fetchOffers(OfferQuery(limit: 1)).first
    let entry = NoticeMessage.Entry(
      feed: offer?.ref.feed ?? "offers", offer: offer?.ref, name: offer?.name ?? "A test of offers",
      sentence: "shows how you are told", link: offer?.url)
    let message = NoticeMessage(
      id: "test-\(now().storedSeconds)", time: now(), title: "offers can reach you",
      entries: [entry])
    return await (try ChannelSettings(json: channel.settings).makeChannel(tools)).deliver(message)
  }

  /// The settings of the channel of a browser's subscription, with keys that messages can be encrypted for.
  func settings(of subscription: PushSubscription) throws -> ChannelSettings {
    let settings = try ChannelSettings(subscription)
    _ = try settings.makeChannel(tools)
    return settings
  }

  /// The command that a message suggests for a notice: it stars the offer, syncs the failing feed, or accepts its
  /// held-back removals; nil for none.
  private static func step(_ notice: Notice, isFavorite: Bool) -> Hint? {
    if let offer = notice.offer {
      let word = ShellQuoting.word(offer.description)
      return isFavorite ? nil : Hint("Star it.", command: "offers favorite \(word)")
    }
    let feed = ShellQuoting.word(notice.feed)
    return switch notice.reason {
    case .failing: Hint("Try it now.", command: "offers sync \(feed)")
    case .heldBack: Hint("Accept it.", command: "offers sync \(feed) --accept-removals")
    default: nil
    }
  }
}

extension NoticeDelivery.Summary {
  fileprivate mutating func add(_ attempt: NoticeDelivery.Attempt) {
    guard let reason = attempt.outcome.reason else {
      return deliveries.append(
        Delivery(
          channel: attempt.channel, user: attempt.user, noticeCount: attempt.noticeCount))
    }
    var isEnd = false
    if case .ended = attempt.outcome { isEnd = true }
    failures.append(
      Failure(
        channel: attempt.channel, user: attempt.user, reason: reason, isEnd: isEnd,
        lostCount: attempt.lostCount))
  }
}
