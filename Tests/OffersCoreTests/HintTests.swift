import OffersCore
import Testing

@Suite("Hints")
struct HintTests {
  @Test("are printed with their command, which an app and the web page do not show")
  func printing() {
    let hint = Hint("Repair it.", command: "offers doctor --repair")
    let error = OffersError(.storageFailed, "It is damaged.", hint: hint)
    #expect(error.hint?.text == "Repair it." && error.hint?.command == "offers doctor --repair")
    #expect(error.withCommands.hint?.text == "Repair it: offers doctor --repair")
    #expect(Hint("Try again.").printed == "Try again.")
  }

  @Test("quote sources and files for the shell, and hide values in addresses")
  func quoting() {
    #expect(Hint.syncCommand("shop", from: nil) == "offers sync shop")
    #expect(
      Hint.syncCommand("shop", from: "/it's.json") == #"offers sync shop --from '/it'\''s.json'"#)
    let command = "offers sync shop --from 'https://a.example/?x={hidden}&y={hidden}'"
    #expect(Hint.syncCommand("shop", from: "https://a.example/?x=1&y=2") == command)
    let error = OffersError(.sourceFailed, "", hint: Hint("See.", command: command))
    #expect(error.hidingAddresses().hint?.command == command)
    #expect(
      Hint.changeMode("Restrict access.", "600", ["/a", "/it's"]).printed
        == #"Restrict access: chmod 600 /a '/it'\''s'"#)
  }

  @Test("are stored with their command; the step of an older run is left out")
  func storing() {
    let hint = Hint("Accept them.", command: #"offers sync "a" --accept-removals"#)
    #expect(Hint(hint.text, storedCommand: hint.storedCommand) == hint)
    #expect(Hint("Try again.").storedCommand == nil)
    let old = Hint("Accept them.", storedCommand: #"{"acceptRemovals":{"feed":"shop"}}"#)
    #expect(old == Hint("Accept them."))
  }
}
