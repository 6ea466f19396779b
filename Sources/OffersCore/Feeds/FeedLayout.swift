/// How the offers of a feed are shown on a screen.
public enum FeedLayout: String, Sendable, Hashable, CaseIterable {
  /// Small tiles with the reward and the name below, several in a row.
  case grid
  /// Large pictures from edge to edge, with the name and the category on them.
  case tiles
  /// Rows as high as their own texts.
  case rows
  /// Square pictures, such as the covers of albums.
  case covers
  /// Upright pictures with the whole text beside them, such as posters.
  case posters
}
