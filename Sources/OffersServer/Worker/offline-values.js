// The rewards and prices that the filters of a list name, and the times of offers.

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Whether the end of an offer has passed. */
const isExpired = (offer, now = nowSeconds()) => offer.expires !== null && offer.expires <= now;

/** The codes of currencies; XXX stands for the unknown one. */
const CODES = new Set(Intl.supportedValuesOf("currency").filter((code) => code !== "XXX"));
const COUNTRIES = {US$: "USD", CA$: "CAD", C$: "CAD", AU$: "AUD", A$: "AUD", NZ$: "NZD"};
let signs = null;

/** The currencies of a sign or code beside an amount; with null, the unknown one, if several share a sign. */
function currenciesOf(unit) {
  const code = COUNTRIES[unit] ?? unit.toUpperCase();
  if (CODES.has(code)) return [code];
  if (signs === null) {
    signs = new Map();
    for (const currency of CODES) {
      const format = new Intl.NumberFormat("en", {style: "currency", currency, currencyDisplay: "narrowSymbol"});
      const sign = format.formatToParts(0).find(({type}) => type === "currency").value;
      signs.set(sign, [...signs.get(sign) ?? [], currency]);
    }
  }
  const found = signs.get(unit) ?? [];
  return found.length > 1 ? [null, ...found] : found;
}

/** The number of decimals of a currency (ISO 4217); 2 for amounts whose currency is unknown. */
const decimalsOf = (currency) => CODES.has(currency) ?
  new Intl.NumberFormat("en", {style: "currency", currency}).resolvedOptions().maximumFractionDigits : 2;

/**
 * Parses the bound of a filter, such as `1.50` (in any currency), `$1.50` (in any that has this sign), `1,50 EUR` or
 * `5%`: {text, hundredths, currencies, isPercent}. Returns null for any other text.
 */
function boundOf(text) {
  const form = /^([^\d\s.,]+)?\s*(\d+)(?:[.,](\d{1,2}))?\s*([^\d\s.,]+)?$/;
  const [, before, whole, decimals, behind] = form.exec((text ?? "").trim()) ?? [];
  if (whole === undefined || (before && behind)) return null;
  const unit = before ?? behind;
  const isPercent = behind === "%";
  const currencies = unit && !isPercent ? currenciesOf(unit) : null;
  if (currencies?.length === 0) return null;
  return {text, hundredths: Math.round(Number(`${whole}.${decimals ?? 0}`) * 100), isPercent, currencies};
}

/**
 * The difference between the value of an offer and the bound of a filter. NaN, with which every
 * comparison is false, if they cannot be compared.
 */
function differenceTo({reward: [, currency, units, percent]}, {hundredths, isPercent, currencies}) {
  if (isPercent) return percent === null ? NaN : percent - hundredths;
  const known = CODES.has(currency) ? currency : null;
  if (units === null || (currencies && !currencies.includes(known))) return NaN;
  return units * 10 ** (2 - decimalsOf(currency)) - hundredths;
}
