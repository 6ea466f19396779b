import OffersCore

/// Extensions of `SQLStore` in OffersStore have the methods of these protocols.
extension OffersDatabase: FeedRepository, FeedSourceRepository {}
