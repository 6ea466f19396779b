import OffersCore

extension Units {
  /// How often something happened, such as `once` or `12 times`.
  static func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(Units.count(count)) times"
  }
}
