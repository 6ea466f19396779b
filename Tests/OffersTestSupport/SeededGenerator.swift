import OffersFuzzing

/// A random number generator whose sequence depends only on its seed, for reproducible tests.
public typealias SeededGenerator = FuzzRandom
