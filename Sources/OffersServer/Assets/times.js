// Times as words relative to now, and the labels of cards, in the time zone of the browser.

const relative = new Intl.RelativeTimeFormat("en", {numeric: "auto"});
const days = new Intl.DateTimeFormat("en-GB", {day: "numeric", month: "long"});
const yearDays = new Intl.DateTimeFormat("en-GB", {day: "numeric", month: "long", year: "numeric"});
const weekdays = new Intl.DateTimeFormat("en-GB", {weekday: "long"});
const moments = new Intl.DateTimeFormat("en-GB", {dateStyle: "long", timeStyle: "short"});

/** The number of days from today to the day of a date, in the time zone of the browser. */
function daysFromToday(date) {
  const midnight = (each) => new Date(each.getFullYear(), each.getMonth(), each.getDate());
  return Math.round((midnight(date) - midnight(new Date())) / 86_400_000);
}

/** A time on a clock near now as words, such as “5 minutes ago” and “yesterday”; any other as its day. */
function words(date) {
  const seconds = (date - Date.now()) / 1000;
  const size = Math.abs(seconds);
  if (size < 60) return seconds <= 0 ? "just now" : "in a moment";
  if (size < 3600) return relative.format(Math.round(seconds / 60), "minute");
  const distance = daysFromToday(date);
  if (size < 43_200 || distance === 0) return relative.format(Math.round(seconds / 3600), "hour");
  if (Math.abs(distance) === 1) return relative.format(distance, "day");
  return dayOf(date);
}

/** The words for a day in a heading, such as “Today” and “Tuesday, 24 November”. */
function heading(date) {
  const distance = daysFromToday(date);
  if (Math.abs(distance) > 1) return isThisYear(date) ? `${weekdays.format(date)}, ${days.format(date)}` : dayOf(date);
  const text = relative.format(distance, "day");
  return text[0].toUpperCase() + text.slice(1);
}

const isThisYear = (date) => date.getFullYear() === new Date().getFullYear();

function dayOf(date) {
  return (isThisYear(date) ? days : yearDays).format(date);
}

/** How many days before its end, and after a change, an offer has a label. The server writes the number. */
const LABEL_DAYS = __LABEL_DAYS__;

/** The words for an end that is near, such as “ends today” and “2 days left”; null for any other. */
function endWords(date) {
  // An offer that ends at midnight ends on the day before.
  const left = daysFromToday(new Date(date - 1000));
  if (date <= Date.now() || left > LABEL_DAYS) return null;
  return ["ends today", "ends tomorrow"][left] ?? `${left} days left`;
}

/** Writes the times in a part of the page, and shows the labels that apply today. */
export function showTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    if ("day" in time.dataset) {
      time.textContent = heading(new Date(`${time.dateTime}T12:00`));
    } else if ("news" in time.dataset) {
      time.hidden = Date.now() - date > LABEL_DAYS * 86_400_000;
    } else if ("ends" in time.dataset) {
      const text = endWords(date);
      time.hidden = text === null;
      time.textContent = text ?? "";
    } else {
      time.title = moments.format(date);
      time.textContent = words(date);
    }
  }
}
