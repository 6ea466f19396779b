/// How the offers of a feed are shown on a screen.
public enum FeedLayout: String, Sendable, Hashable, CaseIterable {
  /// Small tiles with the reward and the name below the image, several in a row.
  case grid
  /// Large images from edge to edge, overlaid with the name and the category.
  case tiles
  /// Rows of text whose height fits their content.
  case rows
  /// Square images, such as album covers.
  case covers
  /// Portrait images, such as film posters, with the whole text beside them.
  case posters
}
