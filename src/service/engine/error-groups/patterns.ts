/**
 * Defines patterns for the variable parts of messages, and for similar parts that must stay. Every pattern is linear:
 * no unbounded quantifier is nested, and none can start at each letter of a long word.
 */

/** A match is replaced by a name or by the result of a function. */
export type Replacement = readonly [RegExp, string | ((...found: string[]) => string)];

/** Private-use characters that stand for protected digits until the end. They are stripped from input first. */
const FIRST_PLACEHOLDER = 0xe000;
const PLACEHOLDERS = /[\ue000-\ue009]/g;

export const stripPlaceholders = (text: string): string => text.replace(PLACEHOLDERS, ' ');
export const restoreDigits = (text: string): string =>
  text.replace(PLACEHOLDERS, (placeholder) => String(placeholder.charCodeAt(0) - FIRST_PLACEHOLDER));
const protectDigits = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(FIRST_PLACEHOLDER + Number(digit)));

const MONTH =
  '(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)';
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[AP]M\\b| Uhr\\b)?';
const ZONE = '(?: ?(?:Z|UTC|GMT|CES?T)\\b| ?(?:GMT|UTC)?[+-]\\d{2}:?\\d{2}\\b)?';
const DAY = '(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?';
const timePattern = (date: string): RegExp =>
  new RegExp(
    `(?<![\\w.-])${DAY}${date}(?:(?:,? (?:um |at )?|[T:])${CLOCK}${ZONE})?(?: \\d{4}(?!\\d))?(?: GMT| UTC)?`,
    'g',
  );

/** IDs, tokens and times that have a recognizable form. */
export const FORMS: readonly Replacement[] = [
  [/\bdata:[\w/+.-]{1,60};base64,[A-Za-z0-9+/]*={0,2}/g, '<data>'],
  [/(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, '<token>'],
  [/(?<![0-9a-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f])/gi, '<id>'],
  [timePattern('\\d{4}-\\d{2}-\\d{2}'), '<time>'],
  [timePattern('\\d{4}/\\d{2}/\\d{2}'), '<time>'],
  [timePattern('\\d{1,2}/\\d{1,2}/\\d{4}'), '<time>'],
  [timePattern('\\d{1,2}\\.\\d{1,2}\\.\\d{4}'), '<time>'],
  [timePattern(`\\d{1,2}[ /.-]{1,2}${MONTH}[ /.-]\\d{4}`), '<time>'],
  [timePattern(`${MONTH} {1,2}\\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`), '<time>'],
  [/\d{4}年\d{1,2}月\d{1,2}日(?: ?\d{1,2}[時:]\d{1,2}(?:[分:](?:\d{1,2}秒?)?)?)?/g, '<time>'],
  [/(?<![\d:])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M\b| Uhr\b)?(?![\d:])/g, '<time>'],
  [/(?<![\w.+-])[\w.+-]{1,64}@(?=[\w-]{1,63}\.[a-z])/gi, '<mailbox>@'],
  // Query values change from run to run.
  [/(?<=[\w/.%~-])\?(?:[\w%.~-]{1,60}=[^\s"'<>`)\]]*)/g, '?<query>'],
];

/** A port of a service is significant; an ephemeral port is not. */
const FIRST_EPHEMERAL_PORT = 32_768;
const replaceAddress = (_: string, port: string | undefined): string =>
  port === undefined
    ? '<address>'
    : `<address>:${Number(port) < FIRST_EPHEMERAL_PORT ? protectDigits(port) : '<port>'}`;

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
export const ADDRESSES: readonly Replacement[] = [
  [/(?<![\w:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])/gi, '<address>'],
  [
    new RegExp(`(?<![\\w.])(?:${OCTET}\\.){3}${OCTET}(?![\\w]|\\.\\d)(?::(\\d{1,5})\\b)?`, 'g'),
    replaceAddress,
  ],
  [/\[(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}(?:%\w{1,16})?\](?::(\d{1,5})\b)?/gi, replaceAddress],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi, '<address>'],
  [
    /(?<![\w:])(?:[0-9a-f]{1,4}:){0,6}:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4}(?:%\w{1,16})?(?![\w:])/gi,
    '<address>',
  ],
  [
    /\b(localhost|[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,8}):(\d{4,5})\b/gi,
    (_, host = '', port = '') =>
      Number(port) < FIRST_EPHEMERAL_PORT ? `${host}:${protectDigits(port)}` : `${host}:<port>`,
  ],
];

const ROOTS =
  'tmp|home|Users|var|usr|opt|root|mnt|srv|etc|proc|run|dev|private|builds?|workspaces?|workdir|node_modules|github|Volumes|nix|snap|app|data';
/** A file name is significant; its folder on this machine is not. */
function shortenPath(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const isPassing =
    /^(?:file:\/\/)?\/(?:tmp|var|private|run)\//.test(path) && !/\.[A-Za-z]\w{0,4}$/.test(name);
  return isPassing || name === ''
    ? '<path>'
    : `<path>/${name.replace(/(?<![A-Za-z\d])[A-Za-z]*\d[A-Za-z\d]*/g, '<id>')}`;
}
const replacePath = (_: string, path = ''): string => shortenPath(path);

export const PATHS: readonly Replacement[] = [
  [
    new RegExp(
      `(?<![\\w:.%~-]|(?<!file:/)/)((?:file://)?/(?:${ROOTS})(?:/[\\w.@~+%-]+)+/?)(?::\\d{1,7}){0,2}`,
      'g',
    ),
    replacePath,
  ],
  [/(?<![A-Za-z\d])([A-Za-z]:\\(?:[^\\\s:"'<>|]+\\)*[^\\\s:"'<>|()]*)(?::\d{1,7}){0,2}/g, replacePath],
];

/** All HTTP status codes in use. */
const HTTP_STATUS =
  '1(?:0[0-3])|20[0-8]|226|30[0-8]|40\\d|41[0-8]|42[1-689]|431|44[49]|451|499|50[0-8]|51[01]|52[0-7]|530';
/** Servers also answer with statuses that no list has. A number with a unit is an amount. */
const STATUS =
  '[1-5]\\d\\d(?![\\w%]|[.,:]\\d| ?(?:ms|µs|s|m|h|k?B|[KMG]i?B|bytes|seconds?|items?|records?|rows?|entries|results?|times)\\b)';
const BARE_STATUS = new RegExp(`(?<![\\w.,:/#=-])${STATUS}`, 'g');
/** Codes that distinguish failures. */
export const SIGNIFICANT_CODES: readonly Replacement[] = [
  [/\b(?:TLSv?|SSLv|HTTP\/)\d(?:\.\d)?\b/gi, protectDigits],
  [
    new RegExp(`\\b(?:${HTTP_STATUS})(?= (?!OK\\b[a-z])[A-Z][A-Za-z-]{1,20}(?: [A-Z]|\\b))`, 'g'),
    protectDigits,
  ],
  [
    /(?<=\b(?:status(?:[ _-]?code)?|HTTP|code)["']?(?: is| of| was)?\s?[:=]?\s?["']?)[1-9]\d\d(?!\d)/gi,
    protectDigits,
  ],
  [
    new RegExp(`(?<=\\b(?:error|failed|failure|got|returned|answered|replied):? ?[("']?)${STATUS}`, 'gi'),
    protectDigits,
  ],
  [
    /(?<=\b(?:exit(?:ed)?(?: with)?(?: status)?(?: code)?|errno|signal|code|alert number)["']?\s?[:=]?\s?)-?\d{1,3}(?!\d|\.\d)/gi,
    protectDigits,
  ],
  [/(?<![\w.])[245]\d\d[ -][245]\.\d\.\d{1,3}(?!\d)/g, protectDigits],
  [/\b(?:ORA-|SQLSTATE[ [:]{0,2}|AADSTS|TS|ERROR )(?:[0-9A-Z]{4,6})\b/g, protectDigits],
  [/\bRCODE\d{1,4}\b/g, protectDigits],
];
/** In a message about HTTP, a bare number in this range is a status code, not a count. */
export const BARE_STATUS_CODES: readonly Replacement[] = [[BARE_STATUS, protectDigits]];
const HTTP_WORD = /status|http|smtp|request|response|antwort|ステータス/i;
/** A comparison with a number in this range: what a test expects of `response.status()` is often all that its message says. */
const COMPARES_STATUS =
  /(?:\b(?:expected:?[\s<>=]{1,4}|EQUALS |(?:equal|be) )|!==? )["']?[1-5]\d\d\b(?![.,:]\d)/i;
const COUNTS = /count|length|size/i;
export const mayNameStatus = (text: string): boolean =>
  HTTP_WORD.test(text) || (COMPARES_STATUS.test(text) && !COUNTS.test(text));

const UNITS =
  'ns|µs|μs|us|ms|milliseconds?|Millisekunden?|seconds?|secs?|Sekunden?|Sek|s|minutes?|mins?|Minuten?|m|hours?|hrs?|h|Stunden?|days?|Tagen?|d|ミリ秒|秒|分|時間';
const SIZES = 'bytes?|Bytes|[kKMGT]i?B|B';

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Replaces a word of letters and digits that looks generated. */
function replaceWord(word: string): string {
  const runs = countMatches(word, /\d+/g);
  const letters = countMatches(word, /[A-Za-z]/g);
  if (letters === 0) return word;
  const { length } = word;
  if (runs === 0) {
    const isMixed = length >= 16 && countMatches(word, /[a-z][A-Z]/g) > length / 4;
    return isMixed ? '<id>' : word;
  }
  if (/^[0-9a-f]+$/i.test(word) && length >= 7) return '<hash>';
  if (length >= 20 || (runs >= 2 && length >= 8) || (runs >= 3 && length >= 6)) return '<id>';
  // A lower-case name followed by a long number. An upper-case one is a code.
  return word.replace(/^([a-z][A-Za-z]{2,})\d{4,}$/, '$1<number>');
}

/** Bare words and numbers, applied after the significant ones are protected. */
export const WORDS_AND_NUMBERS: readonly Replacement[] = [
  [/\b0x[0-9a-f]+\b/gi, '<hash>'],
  // The thread ID that OpenSSL writes before its errors.
  [/\b[0-9A-F]{8,16}:(?=error:)/g, '<id>:'],
  [/(?<=[a-z])-[0-9a-f]{8,10}-[a-z0-9]{5}\b/g, '-<id>'],
  [/:r[0-9a-z]{1,4}:/g, ':<id>:'],
  [/\b[a-z]{2,10}_(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{6,}\b/g, '<id>'],
  [/(?<![A-Za-z0-9])[A-Za-z0-9]{6,}(?![A-Za-z0-9])/g, replaceWord],
  [
    new RegExp(`(?<![A-Za-z_\\d.])[+-]?\\d{1,20}(?:[.,]\\d{1,20}){0,4} ?(?:${UNITS})(?![A-Za-z\\d_])`, 'g'),
    '<duration>',
  ],
  [/<duration>(?:,? ?(?:and |und )?<duration>)+/g, '<duration>'],
  [
    new RegExp(`(?<![A-Za-z_\\d.])\\d{1,20}(?:[.,]\\d{1,20}){0,4} ?(?:${SIZES})(?![A-Za-z\\d_])`, 'g'),
    '<size>',
  ],
  [/(?<![A-Za-z_\d])[+-]?\d+(?:[.,:'’]\d+)*(?:e[+-]?\d+)?/gi, '<number>'],
];
