// The rewards and prices that the filters of a list name, and the times of offers.

/** The time in which an offer counts as new, and as ending soon, in seconds. */
const SOON_SECONDS = 7 * 86_400;

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Whether the end of an offer has passed. */
const isExpired = (offer, now = nowSeconds()) => offer.expires !== null && offer.expires <= now;

const SIGNS = {
  $: "USD", US$: "USD", CA$: "CAD", C$: "CAD", A$: "AUD", AU$: "AUD", NZ$: "NZD", "€": "EUR", "£": "GBP",
  "¥": "JPY", "₹": "INR",
};
const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

/** The number of decimals of a currency (ISO 4217). */
const decimalsOf = (currency) =>
  new Intl.NumberFormat("en", {style: "currency", currency}).resolvedOptions().maximumFractionDigits;

/**
 * Parses the value of a filter, such as `1.50` (in any currency), `$1.50`, `1,50 EUR` or `5%`:
 * {text, hundredths, currency, isPercent}. Returns null for any other text.
 */
function filterValue(text) {
  const form = /^(?:([A-Z]{3})\s*|([^\d\s.,%]+)\s*)?(\d+(?:,\d{3})*)(?:[.,](\d+))?\s*(%|[A-Z]{3})?$/;
  const [, before, sign, whole, decimals, unit] = form.exec(text ?? "") ?? [];
  if (whole === undefined || ((before || sign) && unit) || (sign && !SIGNS[sign])) return null;
  const isPercent = unit === "%";
  const currency = before ?? SIGNS[sign] ?? (isPercent ? null : unit ?? null);
  if (currency && !CURRENCIES.has(currency)) return null;
  const number = Number(`${whole.replaceAll(",", "")}.${decimals ?? 0}`);
  return {text, hundredths: Math.round(number * 100), isPercent, currency};
}

/**
 * The difference between the value of an offer and that of a filter. NaN, with which every
 * comparison is false, if they cannot be compared.
 */
function differenceTo({reward: [, currency, units, percent]}, value) {
  if (value.isPercent) return percent === null ? NaN : percent - value.hundredths;
  if (units === null || (value.currency && value.currency !== currency)) return NaN;
  return units * 10 ** (2 - decimalsOf(currency)) - value.hundredths;
}
