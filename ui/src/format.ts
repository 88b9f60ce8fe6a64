/** Between a figure and its unit, which stay on one line. */
const THIN_SPACE = "\u202f";
/** As wide as a plus, unlike the hyphen of the keyboard. */
const MINUS = "\u2212";
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const SHOWN_ITEMS = 5;
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export function count(value: number): string {
  return whole.format(value).replace("-", MINUS);
}

/** With so many decimals: -0.5 is "−0.50". */
export function decimal(value: number, digits: number): string {
  return value.toFixed(digits).replace("-", MINUS);
}

/** The items that a run names, as far as a line has room for them. */
export function namedItems(ids: readonly string[]): string {
  const more = ids.length > SHOWN_ITEMS ? ", …" : "";
  return `${count(ids.length)} named: ${ids.slice(0, SHOWN_ITEMS).join(", ")}${more}`;
}

export function shortCount(value: number): string {
  return compact.format(value);
}

/** A share of one, in percent with one decimal: 0.842 is "84.2 %". */
export function percent(share: number): string {
  return `${percentNumber(share)}${THIN_SPACE}%`;
}

/** As `percent`, without the sign, for ranges that print it once. */
export function percentNumber(share: number): string {
  return (share * 100).toFixed(1);
}

/** A name of the API as words: "instruction_strict" is "instruction strict". */
export function asWords(name: string): string {
  return name.replaceAll("_", " ");
}

/** US dollars, with more decimals for small amounts; an unknown amount is unknown, never 0. */
export function usd(amount: number | null): string {
  if (amount === null) return "unknown";
  if (amount === 0) return "$0";
  if (amount < 0.0001) return "<\u{a0}$0.0001";
  if (amount < 0.1) return `$${amount.toFixed(4)}`;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)}${THIN_SPACE}ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)}${THIN_SPACE}s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60) return `${seconds}${THIN_SPACE}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}${THIN_SPACE}min\u{a0}${pad(seconds % 60)}${THIN_SPACE}s`;
  return `${Math.floor(minutes / 60)}${THIN_SPACE}h\u{a0}${pad(minutes % 60)}${THIN_SPACE}min`;
}

/** How long ago `iso` was; beyond a month, the day itself says more. */
export function age(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (ms < 5 * SECOND_MS) return "just now";
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}${THIN_SPACE}s ago`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}${THIN_SPACE}min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}${THIN_SPACE}h ago`;
  if (ms < 30 * DAY_MS) return `${Math.floor(ms / DAY_MS)}${THIN_SPACE}d ago`;
  return day.format(Date.parse(iso));
}

export function moment(iso: string): string {
  return dateTime.format(Date.parse(iso));
}

/** Enough of an id or a hash to tell it from its neighbours. */
export function short(hash: string): string {
  return hash.slice(0, 8);
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

/** Attempts per second, or per minute where that is a more telling number. */
export function rate(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  return `${(perSecond * 60).toFixed(1)}/min`;
}

/** A span of seconds in one unit: "12 – 14 s", "5 – 7 min". */
export function secondsRange({ low, high }: { low: number; high: number }): string {
  if (high < 1) return "under a second";
  const [unit, size] = high < 90 ? ["s", 1] : high < 90 * 60 ? ["min", 60] : ["h", 3600];
  const step = unit === "h" ? 10 : 1;
  const [from, to] = [Math.floor((low / size) * step) / step, Math.ceil((high / size) * step) / step];
  const span =
    from >= to ? `about\u{a0}${to}` : from === 0 ? `up to\u{a0}${to}` : `${from}\u{a0}–\u{a0}${to}`;
  return `${span}${THIN_SPACE}${unit}`;
}

/** A difference of shares, in percentage points with its sign. */
export function points(difference: number): string {
  const sign = difference > 0 ? "+" : difference < 0 ? MINUS : "±";
  return `${sign}${Math.abs(difference * 100).toFixed(1)}`;
}

/** Milliseconds with as many digits as mean something. */
export function milliseconds(ms: number): string {
  if (ms === 0) return `0${THIN_SPACE}ms`;
  if (ms >= SECOND_MS) return duration(ms);
  return ms < 10 ? `${ms.toFixed(ms < 0.1 ? 3 : 1)}${THIN_SPACE}ms` : `${Math.round(ms)}${THIN_SPACE}ms`;
}

/** A size in bytes, in the unit that gives a short number: 9,917 is "9.9 kB". */
export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, size)) / 3)));
  const amount = size / 1000 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)}${THIN_SPACE}${units[step]}`;
}

export function probability(p: number): string {
  const [sign, value] = p < 0.001 ? ["<", "0.001"] : ["=", p.toFixed(3)];
  return `p\u{a0}${sign}\u{a0}${value}`;
}

/** The time of day: "14:05". */
export function clock(at: number): string {
  return timeOfDay.format(at);
}
