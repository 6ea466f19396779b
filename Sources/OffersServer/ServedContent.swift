import Foundation
import OffersCore

/// All that the server stands on: the repositories and what brings them up to date.
package struct ServedContent: Sendable {
  package typealias Store = OfferRepository & FavoriteRepository & FeedRepository
    & SearchRepository & ChangeRepository & ChangeSignal

  let store: any Store
  let syncer: any FeedSyncer
  let images: any ImageSource
  let now: @Sendable () -> Date

  package init(
    store: any Store, syncer: any FeedSyncer, images: any ImageSource,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.syncer = syncer
    self.images = images
    self.now = now
  }
}
