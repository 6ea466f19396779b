import OffersCore
import Testing

@testable import OffersCLI

@Suite("The commands in the advice of the library")
struct CommandAdviceTests {
  private struct Case {
    let advice: Advice
    let text: String
    let command: String

    init(_ advice: Advice, _ text: String, _ command: String) {
      (self.advice, self.text, self.command) = (advice, text, command)
    }
  }

  private static let cases = [
    Case(
      Advice("If that is right", .acceptRemovals(feed: "ibotta", source: nil)),
      "If that is right, accept the removals.",
      "If that is right: offers sync ibotta --accept-removals"),
    Case(
      Advice("If that is right", .acceptRemovals(feed: "ibotta", source: "/it's.json")),
      "If that is right, accept the removals.",
      #"If that is right: offers sync ibotta --from '/it'\''s.json' --accept-removals"#),
    Case(
      Advice("Name one", .nameSource(feed: "shop", source: nil)),
      "Name one.", "Name one: offers sync shop --from URL-OR-FILE"),
    Case(
      Advice("Name it", .nameSource(feed: "shop", source: "https://a.example/?x=1&y=2")),
      "Name it.", "Name it: offers sync shop --from 'https://a.example/?x={hidden}&y={hidden}'"),
    Case(
      Advice("To read a feed", .nameSource(feed: nil, source: nil)),
      "To read a feed, name it as the source of a sync.",
      "To read a feed: offers sync FEED --from FILE"),
    Case(
      Advice("To start it again", .force(feed: "shop")),
      "To start it again, force a sync, or name another source.",
      "To start it again: offers sync shop --force, or --from another address."),
    Case(
      Advice("If that is right", .allowPrivateNetwork),
      "If that is right, allow private networks.",
      "If that is right, add --allow-private-network."),
    Case(Advice("Make it with", .sync), "Make it with a sync.", "Make it with: offers sync"),
    Case(
      Advice("Name another file", .chooseDatabase), "Name another file.",
      "Name another file with --database."),
    Case(
      Advice("To save what it has", .salvageBackup(path: "/it's.sqlite")),
      "To save what it has with the program offers",
      "To save what it has: offers restore --salvage '/it'\\''s.sqlite'"),
    Case(Advice("Check it", .examine), "Check it.", "Check it: offers doctor"),
    Case(Advice("Repair it", .repair), "Repair it", "Repair it: offers doctor --repair"),
    Case(
      Advice("Save what there is", .salvage, ". More."),
      "Save what there is with the program offers. More.",
      "Save what there is: offers restore --salvage. More."),
    Case(
      Advice("See what there is", .listOffers), "See what there is.",
      "See what there is: offers list"),
    Case(Advice("Add one", .addFeed), "Add one.", "Add one: offers feeds add NAME SOURCE"),
    Case(
      Advice("Say where it is", .nameItems), "Say where it is.",
      "Say where it is: offers feeds add NAME SOURCE --items PATH."),
    Case(
      Advice("Say so", .mapFields(["id", "name"]), "."), "Say so.",
      "Say so with --map id=… name=…."),
    Case(
      Advice("Add it there yourself", .showDefinition), "Add it there yourself.",
      "Add it there yourself: offers feeds show NAME, or guess SOURCE, prints it."),
    Case(
      Advice("Save what there is", .salvageAndRecover),
      "Save what there is with the program offers. What that could not read may be in a backup, or be "
        + "recovered with the shell of SQLite",
      "Save what there is: offers restore --salvage. What that could not read may be in a backup, or be "
        + "recovered by: sqlite3 FILE .recover"),
    Case(Advice("Recover it", .recover), "Recover it.", "Recover it: sqlite3 FILE .recover"),
    Case(
      Advice("Name one of these", .writeSource),
      "Name one of these: an http or https URL, a file, standard input, or the sample.",
      "Name one of these: an http or https URL, a file, - for standard input, or sample."),
    Case(Advice("Set it", .setVariable(name: "KEY")), "Set it.", "Set it: export KEY=…"),
    Case(Advice("Unset it", .unsetVariable(name: "KEY")), "Unset it.", "Unset it: unset KEY"),
    Case(
      Advice("Restrict access", .changeMode("600", paths: ["/a", "/it's"])), "Restrict access.",
      #"Restrict access: chmod 600 /a '/it'\''s'"#),
    Case(
      Advice("Allow more open files", .allowOpenFiles), "Allow more open files.",
      "Allow more open files with ulimit -n."),
    Case(
      Advice("Update SQLite", .updateSQLite), "Update SQLite.",
      "Update SQLite (Debian: apt-get install libsqlite3-0)."),
  ]

  @Test("each step has words of the library and a command of the command line")
  func namesCommands() {
    for each in Self.cases {
      #expect(each.advice.text == each.text)
      #expect(each.advice.commandText == each.command)
      let error = OffersError(.notFound, "There is none.", advice: each.advice)
      #expect(error.hint == each.text && error.advice == each.advice)
      #expect(error.withCommands.hint == each.command)
    }
  }

  @Test("a stored advice has its command again; a text of an older version stays as it is")
  func readsStoredAdvice() {
    let step = AdvisedStep.remedy(.acceptRemovals(feed: "ibotta", source: nil))
    #expect(
      Advice(stored: "If that is right, accept the removals.", step: step).commandText
        == "If that is right: offers sync ibotta --accept-removals")
    let old = "If that is right: offers sync ibotta --accept-removals"
    #expect(Advice(stored: old, step: nil).commandText == old)
    #expect(Advice(stored: old, step: step).commandText == old)
  }
}
