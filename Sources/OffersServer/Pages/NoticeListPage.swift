import Foundation
import OffersCore
import OffersPlatform

/// The page of what a user was told, the newest first, and of the channels over which it is delivered.
///
/// Channels are set up on the command line only: their addresses are requested by this server, and a program of a
/// channel is run by it.
struct NoticeListPage {
  let content: ServerDependencies
  let request: PageRequest

  static let path = "/notices"

  private static let limit = 100

  func page() async throws -> Page {
    let now = content.now()
    let notices = try await content.store.fetchNotices(limit: Self.limit)
    let channels = try await content.store.fetchChannels()
    let deliveries =
      notices.isEmpty || channels.isEmpty
      ? [] : try await content.store.fetchDeliveries(limit: Self.limit * channels.count)
    let deliveriesOf = Dictionary(grouping: deliveries, by: \.notice.id)
    var page = Page("notices", title: "Notices", menuEntry: .notices) { fields in
      if let latest = notices.first?.id { fields.set("latest", String(latest)) }
      fields.set(
        "notices", notices.map { row($0, deliveriesOf[$0.id] ?? []) })
      fields.set("hasNotices", !notices.isEmpty)
      fields.set("isCut", notices.count == Self.limit)
      if notices.isEmpty {
        fields.set(
          "nothing",
          PageFields(
            empty: "You were told nothing yet",
            "Say once which offers you want. You are told of them here, and over your channels.",
            icon: "bell", link: (WatchesPage.path, "Watch for offers")))
      }
      fields.set("channels", channels.map { row($0, at: now) })
      fields.set("hasChannels", !channels.isEmpty)
    }
    // The sentences say how soon an offer ends.
    page.lifetime = .seconds(60)
    return page
  }

  private func row(_ notice: Notice, _ deliveries: [Delivery]) -> PageFields {
    [
      "noticeLink": notice.offer.map(PageLinks.offer) ?? PageLinks.feed(notice.feed),
      "noticeName": notice.name, "noticeText": notice.sentence(content.texts, at: nil),
      "noticeAt": notice.at, "isUrgent": notice.isUrgent, "noticeWatch": notice.watchText,
      "deliveries": deliveries.map { delivery in
        [
          "deliveryText": "\(delivery.channel): \(delivery.state.rawValue)",
          "isLost": delivery.state == .lost,
        ] as PageFields
      },
    ]
  }

  private func row(_ channel: UserChannel, at now: Date) -> PageFields {
    [
      "channelName": channel.name, "channelWord": ShellQuoting.word(channel.name),
      "channelState": channel.stateText(at: now),
      "isBad": channel.endedReason != nil || channel.failureCount > 0,
      "isDefault": channel.isDefault,
      "waiting": channel.waitingCount > 0
        ? "\(Units.count(channel.waitingCount, "notice")) waiting" : nil,
      "quietHours": channel.quietHours?.description, "nextAttempt": channel.nextAttemptAt,
      "channelError": channel.endedReason ?? channel.lastError,
      "isPaused": channel.endedReason != nil,
    ]
  }
}
