import OffersCore

extension OffersDatabase: LongListRepository {
  package func pages(of query: OfferQuery) -> any OfferPages { KeyedOfferPages(query, self) }
}
