// Texts as the server writes, compares and links them.

/** A path with a query; fields that are null are left out. */
function pathWith(path, fields) {
  const query = fields.filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeRef(value)}`);
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}

/** A number with separators, such as `12,000`. */
const numberText = (number) => number.toLocaleString("en-US");

/** A number and its noun, given as the noun for one and the noun for several. */
function countText(number, [one, several] = ["offer", "offers"]) {
  return `${numberText(number)} ${number === 1 ? one : several}`;
}

// The letters, the words and the weights of a search, as the server has them.
let letterTable;
let lettersRead;

/** Reads the letters once, from the cache of the assets. Texts can be folded then. */
function readLetters() {
  lettersRead ??= cacheFirst(new Request(addressOf(`/assets/letters.json?v=${VERSION}`)))
    .then((answer) => answer.json())
    .then(useLetters)
    .catch((error) => {
      lettersRead = undefined;
      throw error;
    });
  return lettersRead;
}

/** Takes the letters that the server sends (LetterTable). */
function useLetters({folded, syllables, letters, digits, singles, followers, joints, unseen, spaces, ...numbers}) {
  // The Korean syllables in order are all combinations of their letters.
  const first = syllables.first.codePointAt(0);
  syllables.letters.reduce((texts, each) => texts.flatMap((text) => each.map((letter) => text + letter)))
    .forEach((text, number) => {
      folded[String.fromCodePoint(first + number)] = text;
    });
  const words = new RegExp(
    `([${letters}][${letters}${unseen}]*)|[${digits}][${digits}${unseen}]*|[${singles}][${followers}${unseen}]*`, "gu");
  const joint = new RegExp(`^[${unseen}]*[${joints}][${unseen}]*$`, "u");
  letterTable = {folded, words, joint, spaces: new RegExp(`[${spaces}]+`, "u"), ...numbers};
}

/** A text without case and accents, as the server compares and searches it. */
function fold(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return [...text].map((letter) => letterTable.folded[letter] ?? letter).join("");
}

/** A text that equals the `retailer_key` or a `category_keys` of the offers with it: numbers count by their value. */
const equalText = (text) => fold(text).replace(/0*([0-9]+)/g, "$1");

/** Compares texts by their Unicode scalars, whose order differs from that of UTF-16. */
function compareScalars(one, other) {
  const [left, right] = [[...one], [...other]];
  const index = left.findIndex((letter, place) => letter !== right[place]);
  if (index < 0) return left.length - right.length;
  return index < right.length ? left[index].codePointAt(0) - right[index].codePointAt(0) : 1;
}

/** The words of a text: {word, start, end, isOfLetters}, folded; each begins with a letter or a digit. */
function wordsOf(text) {
  return [...text.matchAll(letterTable.words)].map((match) => {
    const whole = fold(match[0]);
    const word = shortened(whole);
    return {
      word, start: match.index, end: match.index + match[0].length, isOfLetters: match[1] !== undefined && word === whole,
    };
  });
}

/** The joined ones of the words of a text, as LetterTokenizer has them: `cocacola` of Coca-Cola. */
function joinedOf(words, text) {
  const joined = [];
  const add = (run) => {
    const word = run.map((each) => each.word).join("");
    if (shortened(word) === word) joined.push({word, start: run[0].start, end: run.at(-1).end});
  };
  let run = words.slice(0, 1);
  words.slice(1).concat({}).forEach((word) => {
    const last = run.at(-1);
    if (last?.isOfLetters && word.isOfLetters && letterTable.joint.test(text.slice(last.end, word.start))) {
      run.push(word);
      add([last, word]);
      return;
    }
    if (run.length > 2 && run.length <= letterTable.joinedLimit) add(run);
    run = [word];
  });
  return joined;
}

/** A folded word without the characters behind its first `wordBytes` bytes. */
function shortened(word) {
  if (word.length * 3 <= letterTable.wordBytes) return word;
  const bytes = new TextEncoder().encode(word).subarray(0, letterTable.wordBytes);
  // A stream waits for the rest of a character that is cut.
  return new TextDecoder().decode(bytes, {stream: true});
}

/**
 * Splits a text at its matches, ascending {start, end}, so that the template can mark them. An
 * excerpt of a long text begins shortly before the first match.
 */
function markedParts(text, matches, isExcerpt = false) {
  let start = 0;
  let end = text.length;
  if (isExcerpt) {
    const first = matches[0]?.start ?? 0;
    if (first > 90) {
      start = first - 45;
      while (start < first && !/\s/.test(text[start])) start += 1;
    }
    end = Math.min(end, start + 400);
  }
  const parts = start > 0 ? [{text: "… "}] : [];
  const add = (low, high, isMarked) => {
    if (low < high) parts.push({text: text.slice(low, high), isMarked});
  };
  let place = start;
  for (const match of matches) {
    const [low, high] = [Math.max(place, match.start), Math.min(end, match.end)];
    if (low >= high) continue;
    add(place, low, false);
    add(low, high, true);
    place = high;
  }
  add(place, end, false);
  if (end < text.length) parts.push({text: " …"});
  return parts;
}
