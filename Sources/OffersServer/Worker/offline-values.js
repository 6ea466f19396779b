// The rewards and prices that the filters of a list name, and the times of offers.

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Whether the end of an offer has passed. */
const isExpired = (offer, now = nowSeconds()) => offer.expires !== null && offer.expires <= now;

const SIGNS = {
  $: "USD", US$: "USD", CA$: "CAD", C$: "CAD", A$: "AUD", AU$: "AUD", NZ$: "NZD", "€": "EUR", "£": "GBP",
  "¥": null, "₹": "INR", "Kč": "CZK", "zł": "PLN", kr: null, "₽": "RUB", "Rs.": "INR", "Fr.": "CHF",
};
const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

/** The number of decimals of a currency (ISO 4217); 2 for amounts whose currency is unknown. */
const decimalsOf = (currency) => currency === null ? 2 :
  new Intl.NumberFormat("en", {style: "currency", currency}).resolvedOptions().maximumFractionDigits;

/**
 * Parses the bound of a filter, such as `1.50` (in any currency), `$1.50`, `1,50 EUR` or `5%`:
 * {text, hundredths, currency, isPercent}. Returns null for any other text.
 */
function boundOf(text) {
  const form = /^([^\d\s]+)?\s*(\d+(?:[,\s'’]\d{3})*)(?:[.,](\d{1,2}))?\s*([^\d\s]+)?$/;
  const [, before, whole, decimals, behind] = form.exec((text ?? "").trim()) ?? [];
  if (whole === undefined || (before && behind)) return null;
  const unit = before ?? behind ?? null;
  const isPercent = behind === "%";
  const code = unit?.length === 3 ? unit.toUpperCase() : null;
  const isKnown = unit === null || isPercent || unit in SIGNS || CURRENCIES.has(code);
  if (!isKnown) return null;
  const currency = unit === null || isPercent ? null : unit in SIGNS ? SIGNS[unit] : code;
  const number = Number(`${whole.replace(/[^\d]/g, "")}.${decimals ?? 0}`);
  return {text, hundredths: Math.round(number * 100), isPercent, currency};
}

/**
 * The difference between the value of an offer and the bound of a filter. NaN, with which every
 * comparison is false, if they cannot be compared.
 */
function differenceTo({reward: [, currency, units, percent]}, value) {
  if (value.isPercent) return percent === null ? NaN : percent - value.hundredths;
  if (units === null || (value.currency && value.currency !== currency)) return NaN;
  return units * 10 ** (2 - decimalsOf(currency)) - value.hundredths;
}
