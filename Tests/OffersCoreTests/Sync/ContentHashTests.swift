import OffersCore
import Testing

@Suite("The hash of an offer's texts")
struct ContentHashTests {
  private static func hash(_ fields: [String?], seed: UInt64 = 1) -> UInt64 {
    var hash = ContentHash(seed: seed)
    for field in fields {
      if let field {
        withBytes(of: field) { hash.combine($0) }
      } else {
        hash.combine(nil)
      }
    }
    return hash.value
  }

  @Test("the hash is the same on every machine and in every version")
  func isStable() {
    #expect(
      Self.hash(["110579", nil, "", "Café Lumière® Ground Coffee, 30 oz."])
        == 0x54d9_7d36_8603_b0aa)
    var all = ContentHash(seed: 1)
    for length in 0...40 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: 37 &* $0 &+ 200) }
      bytes.withUnsafeBytes { all.combine($0) }
    }
    #expect(all.value == 0x2308_7bb1_3e6f_8d80)
  }

  @Test("bytes moved across the boundary of two fields change the hash")
  func keepsFieldsApart() {
    let whole = "abcdefghijklmnopqrstuvwxyz"
    let hashes = (0...whole.count).map {
      Self.hash([String(whole.prefix($0)), String(whole.dropFirst($0))])
    }
    #expect(Set(hashes + [Self.hash([whole])]).count == whole.count + 2)
  }

  @Test("a nil field hashes differently from an empty field and from no field")
  func tellsNilFromEmpty() {
    let variants: [[String?]] = [[], [nil], [""], [nil, nil], ["", ""], [nil, ""], ["", nil]]
    #expect(Set(variants.map { Self.hash($0) }).count == variants.count)
  }

  @Test("texts of different lengths from 0 to 40 hash differently")
  func tellsLengths() {
    var hashes: Set<UInt64> = []
    for character in ["\u{0}", "a", "\u{7F}"] {
      for length in 0...40 {
        hashes.insert(Self.hash([String(repeating: character, count: length)]))
      }
    }
    // The empty text has no bytes to vary.
    #expect(hashes.count == 3 * 41 - 2)
  }

  @Test("each bit of a text affects the hash")
  func noticesEveryBit() {
    for length in 1...40 {
      let bytes = [UInt8](repeating: 0x40, count: length)
      var hashes: Set<UInt64> = []
      for bit in 0..<8 * length {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        var hash = ContentHash(seed: 1)
        flipped.withUnsafeBytes { hash.combine($0) }
        hashes.insert(hash.value)
      }
      #expect(hashes.count == 8 * length)
    }
  }

  @Test("the hash does not depend on the alignment of a text")
  func ignoresAlignment() {
    let text = Array("Moonpuddle Tear-Free Baby Shampoo, 13.5 oz.".utf8)
    let hashes = (0..<16).map { offset in
      ([UInt8](repeating: 0xEE, count: offset) + text).withUnsafeBytes {
        var hash = ContentHash(seed: 1)
        hash.combine(UnsafeRawBufferPointer(rebasing: $0.dropFirst(offset)))
        return hash.value
      }
    }
    #expect(Set(hashes).count == 1)
  }

  @Test("the seed affects the hash")
  func dependsOnSeed() {
    #expect(Set((0..<100).map { Self.hash(["a"], seed: $0) }).count == 100)
  }

  @Test("an edit of any field changes an offer's hash, and so does a text in another field")
  func noticesEveryField() {
    var hashes: Set<UInt64> = []
    hashes.insert(OfferRecord().makeContentHash(seed: 1))
    for field in OfferField.allCases {
      var offer = OfferRecord()
      offer[field] = "same text"
      hashes.insert(offer.makeContentHash(seed: 1))
    }
    #expect(hashes.count == OfferField.count + 1)
  }

  private static func hashTagged(_ bytes: [UInt8], tag: UInt64 = 0, seed: UInt64 = 1) -> UInt64 {
    var hash = ContentHash(seed: seed)
    bytes.withUnsafeBytes { hash.combine(.init(rebasing: $0[...]), tag: tag) }
    return hash.value
  }

  @Test("the hash of a tagged text is the same on every machine and in every version")
  func isStableTagged() {
    var all = ContentHash(seed: 1)
    for length in 1...100 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: 37 &* $0 &+ 200) }
      bytes.withUnsafeBytes { all.combine($0, tag: UInt64(length % 7) << 32) }
    }
    #expect(all.value == 0x7a6f_226a_1d78_3d50)
  }

  @Test("each bit, the seed and the tag affect a tagged text's hash, but not its alignment")
  func noticesEveryBitOfTagged() {
    for length in Array(1...50) + [63, 64, 65, 200] {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 73) }
      let whole = Self.hashTagged(bytes)
      var hashes = Set((1...50).map { Self.hashTagged(bytes, tag: $0 << 32) })
      hashes.formUnion([whole, Self.hashTagged(bytes, seed: 2)])
      for bit in 0..<8 * length {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        hashes.insert(Self.hashTagged(flipped))
      }
      #expect(hashes.count == 8 * length + 52)
      for offset in 1..<16 {
        var hash = ContentHash(seed: 1)
        ([UInt8](repeating: 7, count: offset) + bytes).withUnsafeBytes {
          hash.combine(UnsafeRawBufferPointer(rebasing: $0.dropFirst(offset)), tag: 0)
        }
        #expect(hash.value == whole)
      }
    }
  }

  @Test("no bit of a text cancels a bit of the tag")
  func keepsTagsFromTexts() {
    for length in 1...40 {
      var hashes: Set<UInt64> = []
      let bytes = [UInt8](repeating: 0x30, count: length)
      for bit in -1..<8 * length {
        var flipped = bytes
        if bit >= 0 { flipped[bit / 8] ^= 1 << UInt8(bit % 8) }
        hashes.insert(Self.hashTagged(flipped))
        for tagBit: UInt64 in 32..<64 { hashes.insert(Self.hashTagged(flipped, tag: 1 << tagBit)) }
      }
      #expect(hashes.count == (8 * length + 1) * 33)
    }
  }

  @Test("tagged texts of other lengths or with a moved boundary hash differently")
  func keepsTaggedApart() {
    for byte: UInt8 in [0, 0x61, 0xFF] {
      let lengths = (1...300).map { Self.hashTagged([UInt8](repeating: byte, count: $0)) }
      #expect(Set(lengths).count == 300)
    }
    for byte: UInt8 in [0, 0x20] {
      let text = [UInt8](repeating: byte, count: 100)
      let hashes = (1..<100).map { border in
        var hash = ContentHash(seed: 1)
        text.withUnsafeBytes {
          hash.combine(.init(rebasing: $0[..<border]), tag: 1 << 32)
          hash.combine(.init(rebasing: $0[border...]), tag: 2 << 32)
        }
        return hash.value
      }
      #expect(Set(hashes).count == 99)
    }
  }

  @Test("an empty text of an offer hashes differently from an absent one")
  func tellsEmptyTexts() {
    var hashes: Set<UInt64> = []
    for count in 0...OfferField.count {
      var offer = OfferRecord()
      offer[.name] = "tea"
      for field in OfferField.allCases.prefix(count) where field != .name { offer[field] = "" }
      hashes.insert(offer.makeContentHash(seed: 1))
    }
    // The name is set in each, so the prefixes of one and of two fields are equal.
    #expect(hashes.count == OfferField.count)
  }
}
