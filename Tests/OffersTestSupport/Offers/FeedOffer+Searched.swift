import OffersCore

extension FeedOffer {
  /// Offers whose texts have accents, marks and several scripts, for tests of searches.
  package static let searched = [
    FeedOffer("1", name: "Café Lumière® Ground Coffee", description: "12 oz. bag"),
    FeedOffer("2", name: "Green Tea", description: "Goes well before coffee"),
    FeedOffer("3", name: "Team Spirit Jersey"),
    FeedOffer("4", name: "7-Up Soda", more: [.terms: "Coca-Cola is excluded."]),
    FeedOffer("5", name: "Kellogg’s Corn Flakes", more: [.retailer: "Crème & Co"]),
    FeedOffer(
      "6", name: "Album",
      more: [
        .categories: #"["Musik","a\"b\nline\\two"]"#,
        .attributes: #"[["Artist","Björk Guðmundsdóttir"],["Genre","Électronique"]]"#,
      ]),
    FeedOffer("7", name: "C++ Primer"),
    FeedOffer("8", name: "日本語の本"),
  ]
}
