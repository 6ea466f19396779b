/// An export of the version before there were users, format 1.
public enum OldExport {
  /// The text of an export of one user as format 1 has it: with that version, and without the user and
  /// how the offers of feeds are shown.
  public static func downgraded(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var rest = lines.map { String($0).replacing(/^{"user":"[^"]*",/, with: "{") }
    if let start = rest.firstIndex(of: "\"users\":["),
      let end = rest.firstIndex(of: "\"favorites\":[")
    {
      rest.removeSubrange(start..<end)
    }
    return rest.joined(separator: "\n").replacing("\"version\":4", with: "\"version\":1")
      .replacing(/,"presentation":(null|{[^}]*})/, with: "")
  }

  /// The export of the database that `OwnerUpgradeTests` of the SQLite store makes.
  public static let text = """
    {"format":"offers-export","version":1,
    "feeds":[
    {"name":"ibotta","title":null,"source":"sample","chosen_source":null,"subscribed_at":"1970-01-01T00:15:00Z","unsubscribed_at":null,"shared":[]}
    ],
    "runs":[
    {"feed":"ibotta","source":"/feeds/ibotta.json","started_at":"1970-01-01T00:16:40Z","duration_milliseconds":5,"outcome":"updated","bytes":10,"new":8,"changed":0,"gone":0,"back":0,"unchanged":0,"skipped":0,"mended":0,"error":null},
    {"feed":"ibotta","source":"/feeds/ibotta.json","started_at":"1970-01-01T00:33:20Z","duration_milliseconds":6,"outcome":"updated","bytes":9,"new":0,"changed":1,"gone":1,"back":0,"unchanged":6,"skipped":0,"mended":0,"error":null}
    ],
    "offers":[
    {"ref":"ibotta:1","name":"Milk 1","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:16:40Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:2","name":"Milk 2","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:16:40Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:3","name":"Milk 3","description":null,"terms":"Limit 2.","reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:33:20Z","gone_at":null,"retailer":"Corner Shop","categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:4","name":"Milk 4","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:16:40Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:5","name":"Milk 5","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:16:40Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:6","name":"Milk 6","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:16:40Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:7","name":"Milk 7","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:33:20Z","gone_at":"1970-01-01T00:33:20Z","retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:8","name":"Milk 8","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:16:40Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]}
    ],
    "changes":[
    {"ref":"ibotta:1","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:2","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:3","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:4","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:5","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:6","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:7","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:8","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:3","run":2,"kind":"changed","fields":{"terms":{"from":"Limit 1.","to":"Limit 2."}}},
    {"ref":"ibotta:7","run":2,"kind":"gone","fields":null}
    ],
    "favorites":[
    {"ref":"ibotta:3","starred_at":"1970-01-01T00:26:40Z"},
    {"ref":"ibotta:7","starred_at":"1970-01-01T00:25:00Z"},
    {"ref":"later:x","starred_at":"1970-01-01T00:00:09Z"}
    ]}

    """

  /// The favorites as this version exports them: without the places that were read.
  public static var sharedText: String {
    favoritesText.replacing("\"/feeds/ibotta.json\"", with: "\"{hidden}\"")
  }

  /// The export of its favorites.
  public static let favoritesText = """
    {"format":"offers-export","version":1,
    "feeds":[
    {"name":"ibotta","title":null,"source":"sample","chosen_source":null,"subscribed_at":"1970-01-01T00:15:00Z","unsubscribed_at":null,"shared":[]}
    ],
    "runs":[
    {"feed":"ibotta","source":"/feeds/ibotta.json","started_at":"1970-01-01T00:16:40Z","duration_milliseconds":5,"outcome":"updated","bytes":10,"new":8,"changed":0,"gone":0,"back":0,"unchanged":0,"skipped":0,"mended":0,"error":null},
    {"feed":"ibotta","source":"/feeds/ibotta.json","started_at":"1970-01-01T00:33:20Z","duration_milliseconds":6,"outcome":"updated","bytes":9,"new":0,"changed":1,"gone":1,"back":0,"unchanged":6,"skipped":0,"mended":0,"error":null}
    ],
    "offers":[
    {"ref":"ibotta:3","name":"Milk 3","description":null,"terms":"Limit 2.","reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:33:20Z","gone_at":null,"retailer":"Corner Shop","categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]},
    {"ref":"ibotta:7","name":"Milk 7","description":null,"terms":null,"reward":null,"image_url":null,"url":null,"first_seen_at":"1970-01-01T00:16:40Z","changed_at":"1970-01-01T00:33:20Z","gone_at":"1970-01-01T00:33:20Z","retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]}
    ],
    "changes":[
    {"ref":"ibotta:3","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:7","run":1,"kind":"new","fields":null},
    {"ref":"ibotta:3","run":2,"kind":"changed","fields":{"terms":{"from":"Limit 1.","to":"Limit 2."}}},
    {"ref":"ibotta:7","run":2,"kind":"gone","fields":null}
    ],
    "favorites":[
    {"ref":"ibotta:3","starred_at":"1970-01-01T00:26:40Z"},
    {"ref":"ibotta:7","starred_at":"1970-01-01T00:25:00Z"},
    {"ref":"later:x","starred_at":"1970-01-01T00:00:09Z"}
    ]}

    """
}
