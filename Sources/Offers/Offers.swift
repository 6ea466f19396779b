// The modules that an app needs, under one name.
@_exported public import OffersCore
@_exported public import OffersFeeds
@_exported public import OffersHTTP
@_exported public import OffersSQLite
@_exported public import OffersStore
@_exported public import OffersSync
