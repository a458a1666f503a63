import { isIPv4, isIPv6 } from 'node:net';

// String formats that the API server enforces in custom resources; it ignores every other name. Each test follows
// what the server's parser accepts, which is often more than the standard behind the name.

const isDate = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
};

const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

/** Hours, minutes and seconds are bounded, the offset is not; text after a second `t` is ignored. */
const isDateTime = (text: string): boolean => {
  const [date = '', time] = text.toLowerCase().split('t');
  const match = time === undefined ? null : TIME.exec(time);
  if (!match || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] = match;
  return hour <= '23' && minute <= '59' && second <= '59';
};

const GO_DURATION = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/;
const UNITS = /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/;

/** Go's own durations, or any text with a number and a unit in words, such as `2 days`. */
const isDuration = (text: string): boolean =>
  /^[-+]?0$/.test(text) ||
  GO_DURATION.test(text) ||
  [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)].some(([, unit = '']) => UNITS.test(unit.toLowerCase()));

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

const isHostname = (text: string): boolean =>
  HOSTNAME.test(text) &&
  Buffer.byteLength(text) <= 255 &&
  text.split('.').every((label) => Buffer.byteLength(label) <= 63);

const isCidr = (text: string): boolean => {
  const match = /^(.+)\/(\d{1,3})$/.exec(text);
  if (!match) return false;
  const [, address = '', bits = ''] = match;
  return (isIPv4(withoutLeadingZeros(address)) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
};

/** Old clients wrote 010.0.0.1; the server still takes it as decimal. */
const withoutLeadingZeros = (address: string): string => address.replace(/(^|\.)0+(?=\d)/g, '$1');

const isUri = (text: string): boolean =>
  text.startsWith('/') || (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text));

const luhn = (text: string): boolean => {
  const digits = [...text.replace(/[^0-9]+/g, '')].reverse().map(Number);
  const card =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!card.test(text.replace(/[^0-9]+/g, ''))) return false;
  const sum = digits.reduce((total, digit, at) => {
    const doubled = digit * 2;
    return total + (at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
};

const isIsbn10 = (text: string): boolean => {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  return [...digits].reduce((sum, digit, at) => sum + (at + 1) * (digit === 'X' ? 10 : Number(digit)), 0) % 11 === 0;
};

const isIsbn13 = (text: string): boolean => {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0;
};

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

const tests: Readonly<Record<string, (text: string) => boolean>> = {
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  hostname: isHostname,
  ipv4: (text) => isIPv4(withoutLeadingZeros(text)) || (isIPv6(text) && text.includes('.')),
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: isCidr,
  uri: isUri,
  email: matches(/^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/),
  mac: matches(
    /^(?:[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}|[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\2){6}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{4}\.){2,3}[0-9a-fA-F]{4})$/,
  ),
  uuid: matches(/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: luhn,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(
    /^rgb\((\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,){2}\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
  ),
  password: () => true,
};

const examples: Readonly<Record<string, string>> = {
  byte: 'standard base64 with padding, such as aGk=',
  datetime: 'an RFC 3339 time, such as 2026-01-31T12:00:00Z',
};

/** Formats whose texts can have any length; their tests look at each letter once. */
const unlimited = new Set(['byte', 'uri', 'password']);
/** Longer than any text of the other formats: their expressions go back and forth. */
const maxLength = 1024;

const testOf = (format: string): ((text: string) => boolean) | undefined => {
  const name = format.replaceAll('-', '');
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
  return test && ((text) => (text.length <= maxLength || unlimited.has(name)) && test(text));
};

/** Whether the server enforces this format. */
export const isEnforced = (format: string): boolean => testOf(format) !== undefined;

/** What is expected, if a string does not have the format; undefined if it does, or if the server ignores the format. */
export const formatError = (format: string, text: string): string | undefined => {
  if (testOf(format)?.(text) ?? true) return undefined;
  return examples[format.replaceAll('-', '')] ?? `of format ${format}`;
};
