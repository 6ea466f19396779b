import Foundation
import OffersCore

extension ImageRepositoryRule {
  /// The rules about the copies of images for lists.
  static let thumbnails: [ImageRepositoryRule] = [
    ImageRepositoryRule(
      "the copy of an image is found with the times of the image, which it survives not"
    ) {
      check in
      let image = try check.image(1, filling: 20_000)
      let copy = TinyImage.png(filling: [9])
      let none = try await check.images.findThumbnail(of: image.url)
      try check.expect(none == nil, "a copy of no image")
      try await check.images.putThumbnail(.copy(copy), of: image)
      try await check.images.putImage(image)
      let untried = try await check.images.findThumbnail(of: image.url)
      try check.expect(untried == nil, "a copy that was not made")
      try await check.images.putThumbnail(.copy(copy), of: image)
      let found = try await check.images.findThumbnail(of: image.url)
      let expected = StoredThumbnail(
        content: .copy(copy), imageBytes: image.bytes.count, fetchedAt: image.fetchedAt,
        freshUntil: image.freshUntil)
      try check.expect(found == expected, "\(found.debugDescription)")
      try check.expect(try await check.images.findImage(image.url) == image, "another image")
      try await check.put(2...51)
      try await check.put([1])
      let gone = try await check.images.findThumbnail(of: image.url)
      try check.expect(gone == nil, "the copy of an evicted image")
    },
    ImageRepositoryRule(
      "another image of the same address has no copy, and none of the old one is stored"
    ) {
      check in
      let image = try check.image(1)
      let other = try check.image(1, filling: 50)
      for content in [StoredThumbnail.Content.copy(TinyImage.png()), .problem("It is damaged.")] {
        try await check.images.putImage(image)
        try await check.images.putThumbnail(content, of: image)
        let stored = try await check.images.findThumbnail(of: image.url)
        try check.expect(stored?.content == content, "\(stored.debugDescription)")
        try await check.images.putImage(other)
        let kept = try await check.images.findThumbnail(of: image.url)
        try check.expect(kept == nil, "the copy of the old image is kept")
        try await check.images.putThumbnail(content, of: image)
        let late = try await check.images.findThumbnail(of: image.url)
        try check.expect(late == nil, "the copy of the old image is stored")
      }
    },
    ImageRepositoryRule("a confirmed image keeps its copy, and is tried again if there was none") {
      check in
      let image = try check.image(1)
      for content in [StoredThumbnail.Content.copy(TinyImage.png()), .problem("It is damaged.")] {
        try await check.images.putImage(image)
        try await check.images.putThumbnail(content, of: image)
        try await check.images.confirmImage(
          image.url, etag: nil, lastModified: nil, fetchedAt: check.now + 5,
          freshUntil: check.now + 500)
        let found = try await check.images.findThumbnail(of: image.url)
        if case .problem = content {
          try check.expect(found == nil, "the reason is kept")
        } else {
          try check.expect(found?.content == content, "the copy is lost")
          try check.expect(found?.freshUntil == check.now + 500, "another time")
        }
      }
    },
    ImageRepositoryRule("a copy that is too large or empty is refused") { check in
      let image = try check.image(1)
      try await check.images.putImage(image)
      for content: StoredThumbnail.Content in [
        .copy([]), .problem(""),
        .copy([UInt8](repeating: 0, count: ImageBounds.thumbnailBytes + 1)),
      ] {
        do {
          try await check.images.putThumbnail(content, of: image)
          try check.expect(false, "taken")
        } catch is OffersError {}
      }
      let found = try await check.images.findThumbnail(of: image.url)
      try check.expect(found == nil, "changed")
    },
    ImageRepositoryRule("the use of a copy is a use of its image") { check in
      try await check.put(1...50)
      try await check.images.putThumbnail(.copy(TinyImage.png()), of: try check.image(1))
      _ = try await check.images.findThumbnail(of: check.url(1))
      try await check.put([51])
      try await check.expectHeld([1] + Array(3...51))
      let hits = try await check.images.fetchImageContents(now: check.now).hits
      try check.expect(hits == 1, "hits \(hits)")
    },
  ]
}
