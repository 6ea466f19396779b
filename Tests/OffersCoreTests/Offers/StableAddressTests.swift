import OffersCore
import Testing

@Suite("Signatures and version tokens in addresses")
struct StableAddressTests {
  private static func areSame(_ one: String, _ other: String) -> Bool {
    StableAddress.areSame(one.utf8, other.utf8)
  }

  @Test(
    "addresses that differ by them only lead to the same",
    arguments: [
      ("a.png?t=1", "a.png?t=2"), ("a.png", "a.png?v=1.2.3"), ("a.png?w=9&_=17#x", "a.png?w=9#x"),
      ("a.png?ver=3f2a1b9", "a.png?ver=77aa001"), ("a?ts=2026-11-21T08:15:00Z", "a?ts=2026-11-22"),
      (
        "a?X-Amz-Date=20261121T081500Z&X-Amz-Credential=A%2F1&X-Amz-Signature=ab&size=2",
        "a?X-Amz-Date=20261122T081500Z&X-Amz-Credential=B%2F2&X-Amz-Signature=cd&size=2"
      ),
      (
        "a?Expires=1790000000&Signature=Ab~-_&Key-Pair-Id=K1",
        "a?Expires=1790000900&Signature=Cd~__&Key-Pair-Id=K2"
      ),
      (
        "a?sv=2022-11-02&se=2026-11-21T08%3A00Z&sr=b&sp=r&sig=aB%2F3%3D",
        "a?sv=2022-11-02&se=2026-11-22T08%3A00Z&sr=b&sp=r&sig=xY%2B9%3D"
      ),
      ("a?oh=00_Afx&oe=67A1&_nc_cat=1", "a?oh=00_Bgy&oe=67B2&_nc_cat=2"),
      ("a?hdnts=exp=1790000000~acl=/*~hmac=ab12", "a?hdnts=exp=1790000900~acl=/*~hmac=cd34"),
      ("a?s=0123456789abcdef0123", "a?s=fedcba98765432100123"),
      ("a.png?1700000000", "a.png?1700003600"), ("a.png?20261128", "a.png?20261129"),
      ("a.png?20261128120000", "a.png"), ("a?v=abcdef", "a?v=fedcba"),
      ("a?v=1.0.2-beta", "a?v=1.0.3-rc.1"), ("a?cache_buster=1", "a?cache_buster=2"),
      ("a?r=0.12345", "a?r=0.98765"),
      (
        "a?alt=media&token=3fa85f64-5717-4562-b3fc-2c963f66afa6",
        "a?alt=media&token=9b2d85f6-1717-4a62-a3fc-1c963f66af11"
      ),
      (
        "a?q-sign-algorithm=sha1&q-ak=A&q-sign-time=1;2&q-key-time=1;2&q-signature=ab",
        "a?q-sign-algorithm=sha1&q-ak=B&q-sign-time=3;4&q-key-time=3;4&q-signature=cd"
      ),
      ("a?etag=0123456789abcdef", "a?etag=fedcba9876543210"),
      ("a?access_token=0123456789abcdef", "a?access_token=fedcba9876543210"),
      ("a?PHPSESSID=k3v9q0s8u2m4n6p1", "a?PHPSESSID=z3v9q0s8u2m4n6p1"),
      ("a;jsessionid=0123456789ABCDEF.node1?w=1#x", "a?w=1#x"),
    ])
  func tells(one: String, other: String) {
    #expect(Self.areSame("https://e.test/" + one, "https://e.test/" + other))
  }

  @Test(
    "any other difference counts",
    arguments: [
      ("?id=1", "?id=2"), ("?t=product1", "?t=product2"), ("a.png?t=1", "b.png?t=1"),
      ("?v=dQw4w9WgXcQ", "?v=aBcD3fGhIjK"), ("?token=ana", "?token=ben"), ("?p=1&t=1", "?p=2&t=2"),
      ("?s=coffee-machine-2000-watts", "?s=coffee-machine-1000-watts"), ("?sp=1", "?sp=2"),
      ("?expires=never", "?expires=soon"), ("?t=1#a", "?t=2#b"), ("?w=100&t=1", "?w=200&t=1"),
      ("?1", "?2"), ("?12345678", "?12345679"), ("?1=1700000000", "?1=1700000001"),
      ("?v=1.5-red", "?v=1.5-blue"), ("?token=3fa85f64-5717", "?token=9b2d85f6-1717"),
      ("?r=1", "?r=2"), ("?sid=12", "?sid=13"),
      ("?session=monday-evening-2", "?session=monday-evening-3"),
      ("a;color=red", "a;color=blue"), ("a;jsessionid=1", "a;jsessionid=2"),
      ("?digest=news", "?digest=sale"), ("?auth=yes", "?auth=no"), ("?q-ak=1", "?q-ak=2"),
      ("?st=open", "?st=sold"), ("?signature=", "?signature=tea"), ("?T", "?U"),
    ])
  func keeps(one: String, other: String) {
    #expect(!Self.areSame("https://e.test/" + one, "https://e.test/" + other))
  }

  @Test("a version tells two pictures of a script apart, and not those of a file; a signature none")
  func tellsPictures() {
    func areSame(_ one: String, _ other: String) -> Bool {
      StableAddress.ofPicture(one.utf8) == StableAddress.ofPicture(other.utf8)
    }
    #expect(areSame("/a/1.JPG?v=1", "/a/1.JPG?v=2") && areSame("/1.webp", "/1.webp?t=1"))
    #expect(!areSame("/image.php?v=1", "/image.php?v=2") && !areSame("/1.png?t=1", "/2.png?t=1"))
    #expect(areSame("/a/1.jpg?1700000000", "/a/1.jpg?1700003600"))
    #expect(!areSame("/image?1700000000", "/image?1700003600"))
    #expect(!areSame("/image?sid=0123456789abcdef", "/image?sid=fedcba9876543210"))
    #expect(areSame("/image;jsessionid=0123456789abcdef?id=1", "/image?id=1"))
    #expect(areSame("/image?id=1&X-Amz-Signature=1", "/image?id=1&X-Amz-Signature=2"))
    #expect(!areSame("/image?id=1&X-Amz-Signature=1", "/image?id=2&X-Amz-Signature=1"))
  }
}
