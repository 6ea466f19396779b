/// The names of well-known sites, for links to them.
enum SiteName {
  private static let names = [
    "music.apple.com": "Apple Music", "itunes.apple.com": "Apple Music",
    "geo.music.apple.com": "Apple Music", "open.spotify.com": "Spotify", "youtube.com": "YouTube",
    "themoviedb.org": "TMDB", "imdb.com": "IMDb", "en.wikipedia.org": "Wikipedia",
  ]

  /// The name of the site that a URL leads to: a name that people know, or else its host.
  static func of(_ link: String) -> String {
    let host = PageLinks.host(link)
    return names[host.lowercased()].map { "in \($0)" } ?? host
  }
}
