extension PageFields {
  /// An option of a menu.
  init(option value: String, _ label: String, isChosen: Bool = false) {
    self.init { option in
      option.set("value", value)
      option.set("label", label)
      option.set("isChosen", isChosen)
    }
  }

  /// A chip that leads to a link.
  init(chip label: String, _ link: String, isCurrent: Bool = false) {
    self.init { chip in
      chip.set("label", label)
      chip.set("link", link)
      chip.set("isCurrent", isCurrent)
    }
  }
}
