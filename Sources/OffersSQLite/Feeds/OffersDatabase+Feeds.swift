import OffersCore

/// What `OffersStore` writes once for all engines.
extension OffersDatabase: FeedRepository, FeedSourceRepository {}
