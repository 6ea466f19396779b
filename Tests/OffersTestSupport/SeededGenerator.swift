import OffersFuzzing

/// The same numbers for the same seed, so that a failure can be seen again.
public typealias SeededGenerator = FuzzRandom
