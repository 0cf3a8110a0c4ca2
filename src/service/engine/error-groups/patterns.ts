/**
 * What changes from run to run in messages, and what looks like it and must stay. Every pattern is linear: no quantifier
 * stands within another without a bound, and none can start at each letter of a long word.
 */

/** What is found is replaced by its name, or by what the function makes of it. */
export type Replacement = readonly [RegExp, string | ((...found: string[]) => string)];

/** Digits that are kept are set aside in these characters, which no message is left to hold, and put back at the end. */
const ASIDE = 0xe000;
const KEPT = /[\ue000-\ue009]/g;

export const withoutKept = (text: string): string => text.replace(KEPT, ' ');
export const restored = (text: string): string =>
  text.replace(KEPT, (kept) => String(kept.charCodeAt(0) - ASIDE));
const keep = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(ASIDE + Number(digit)));

const MONTH =
  '(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)';
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[AP]M\\b| Uhr\\b)?';
const ZONE = '(?: ?(?:Z|UTC|GMT|CES?T)\\b| ?(?:GMT|UTC)?[+-]\\d{2}:?\\d{2}\\b)?';
const DAY = '(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?';
const then = (date: string): RegExp =>
  new RegExp(
    `(?<![\\w.-])${DAY}${date}(?:(?:,? (?:um |at )?|[T:])${CLOCK}${ZONE})?(?: \\d{4}(?!\\d))?(?: GMT| UTC)?`,
    'g',
  );

/** Ids, tokens and times that know themselves by their form. */
export const FORMS: readonly Replacement[] = [
  [/\bdata:[\w/+.-]{1,60};base64,[A-Za-z0-9+/]*={0,2}/g, '<data>'],
  [/(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, '<token>'],
  [/(?<![0-9a-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f])/gi, '<id>'],
  [then('\\d{4}-\\d{2}-\\d{2}'), '<time>'],
  [then('\\d{4}/\\d{2}/\\d{2}'), '<time>'],
  [then('\\d{1,2}/\\d{1,2}/\\d{4}'), '<time>'],
  [then('\\d{1,2}\\.\\d{1,2}\\.\\d{4}'), '<time>'],
  [then(`\\d{1,2}[ /.-]{1,2}${MONTH}[ /.-]\\d{4}`), '<time>'],
  [then(`${MONTH} {1,2}\\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`), '<time>'],
  [/\d{4}年\d{1,2}月\d{1,2}日(?: ?\d{1,2}[時:]\d{1,2}(?:[分:](?:\d{1,2}秒?)?)?)?/g, '<time>'],
  [/(?<![\d:])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M\b| Uhr\b)?(?![\d:])/g, '<time>'],
  [/(?<![\w.+-])[\w.+-]{1,64}@(?=[\w-]{1,63}\.[a-z])/gi, '<mailbox>@'],
  // A query names what was asked for, in values that change.
  [/(?<=[\w/.%~-])\?(?:[\w%.~-]{1,60}=[^\s"'<>`)\]]*)/g, '?<query>'],
];

/** A port that a service has tells it from its neighbour; one that the system picked tells nothing. */
const FIRST_PICKED = 32_768;
const address = (_: string, port: string | undefined): string =>
  port === undefined ? '<address>' : `<address>:${Number(port) < FIRST_PICKED ? keep(port) : '<port>'}`;

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
export const ADDRESSES: readonly Replacement[] = [
  [/(?<![\w:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])/gi, '<address>'],
  [new RegExp(`(?<![\\w.])(?:${OCTET}\\.){3}${OCTET}(?![\\w]|\\.\\d)(?::(\\d{1,5})\\b)?`, 'g'), address],
  [/\[(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}(?:%\w{1,16})?\](?::(\d{1,5})\b)?/gi, address],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi, '<address>'],
  [
    /(?<![\w:])(?:[0-9a-f]{1,4}:){0,6}:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4}(?:%\w{1,16})?(?![\w:])/gi,
    '<address>',
  ],
  [
    /\b(localhost|[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,8}):(\d{4,5})\b/gi,
    (_, host = '', port = '') => (Number(port) < FIRST_PICKED ? `${host}:${keep(port)}` : `${host}:<port>`),
  ],
];

const ROOTS =
  'tmp|home|Users|var|usr|opt|root|mnt|srv|etc|proc|run|dev|private|builds?|workspaces?|workdir|node_modules|github|Volumes|nix|snap|app|data';
/** What a file is called tells it from its neighbours; where it lies on this machine does not. */
function path(found: string): string {
  const name = found.slice(Math.max(found.lastIndexOf('/'), found.lastIndexOf('\\')) + 1);
  const isPassing =
    /^(?:file:\/\/)?\/(?:tmp|var|private|run)\//.test(found) && !/\.[A-Za-z]\w{0,4}$/.test(name);
  return isPassing || name === '' ? '<path>' : `<path>/${name.replace(/[A-Za-z]*\d[A-Za-z\d]*/g, '<id>')}`;
}
const place = (_: string, found = ''): string => path(found);

export const PATHS: readonly Replacement[] = [
  [
    new RegExp(
      `(?<![\\w:.%~-]|(?<!file:/)/)((?:file://)?/(?:${ROOTS})(?:/[\\w.@~+%-]+)+/?)(?::\\d{1,7}){0,2}`,
      'g',
    ),
    place,
  ],
  [/(?<![A-Za-z\d])([A-Za-z]:\\(?:[^\\\s:"'<>|]+\\)*[^\\\s:"'<>|()]*)(?::\d{1,7}){0,2}/g, place],
];

/** Every code of HTTP that is in use. */
const HTTP =
  '1(?:0[0-3])|20[0-8]|226|30[0-8]|40\\d|41[0-8]|42[1-689]|431|44[49]|451|499|50[0-8]|51[01]|52[0-7]|530';
const STANDS_ALONE = new RegExp(
  `(?<![\\w.,:/#=-])(?:${HTTP})(?![\\w%]|[.,:]\\d| ?(?:ms|µs|s|m|h|k?B|[KMG]i?B|bytes|seconds?|items?|records?|times)\\b)`,
  'g',
);
/** Digits that tell one failure from another. */
export const TELLING: readonly Replacement[] = [
  [/\b(?:TLSv?|SSLv|HTTP\/)\d(?:\.\d)?\b/gi, keep],
  [new RegExp(`\\b(?:${HTTP})(?= (?!OK\\b[a-z])[A-Z][A-Za-z-]{1,20}(?: [A-Z]|\\b))`, 'g'), keep],
  [
    new RegExp(
      `(?<=\\b(?:status(?:[ _-]?code)?|HTTP|code)["']?(?: is| of| was)?\\s?[:=]?\\s?["']?)(?:${HTTP})(?!\\d)`,
      'gi',
    ),
    keep,
  ],
  [
    /(?<=\b(?:exit(?:ed)?(?: with)?(?: status)?(?: code)?|errno|signal|code|alert number)["']?\s?[:=]?\s?)-?\d{1,3}(?!\d|\.\d)/gi,
    keep,
  ],
  [/(?<![\w.])[245]\d\d[ -][245]\.\d\.\d{1,3}(?!\d)/g, keep],
  [/\b(?:ORA-|SQLSTATE[ [:]{0,2}|AADSTS|TS|ERROR )(?:[0-9A-Z]{4,6})\b/g, keep],
  [/\bRCODE\d{1,4}\b/g, keep],
];
/** In a message about HTTP a bare code is one, not a count. */
export const TELLING_OF_HTTP: readonly Replacement[] = [[STANDS_ALONE, keep]];
export const SPEAKS_OF_HTTP = /status|http|response|antwort|ステータス/i;

const UNITS =
  'ns|µs|μs|us|ms|milliseconds?|Millisekunden?|seconds?|secs?|Sekunden?|Sek|s|minutes?|mins?|Minuten?|m|hours?|hrs?|h|Stunden?|days?|Tagen?|d|ミリ秒|秒|分|時間';
const SIZES = 'bytes?|Bytes|[kKMGT]i?B|B';

const count = (found: string, pattern: RegExp): number => found.match(pattern)?.length ?? 0;

/** A word of letters and digits that nobody would write by hand. */
function word(found: string): string {
  const runs = count(found, /\d+/g);
  const letters = count(found, /[A-Za-z]/g);
  if (letters === 0) return found;
  const { length } = found;
  if (runs === 0) {
    const isMixed = length >= 16 && count(found, /[a-z][A-Z]/g) > length / 4;
    return isMixed ? '<id>' : found;
  }
  if (/^[0-9a-f]+$/i.test(found) && length >= 7) return '<hash>';
  if (length >= 20 || (runs >= 2 && length >= 8) || (runs >= 3 && length >= 6)) return '<id>';
  // A name with a long number behind it; what is written large is a code.
  return found.replace(/^([a-z][A-Za-z]{2,})\d{4,}$/, '$1<number>');
}

/** Bare words and numbers, when all that must stay has been set aside. */
export const BARE: readonly Replacement[] = [
  [/\b0x[0-9a-f]+\b/gi, '<hash>'],
  // The thread that OpenSSL names before its errors.
  [/\b[0-9A-F]{8,16}:(?=error:)/g, '<id>:'],
  [/(?<=[a-z])-[0-9a-f]{8,10}-[a-z0-9]{5}\b/g, '-<id>'],
  [/:r[0-9a-z]{1,4}:/g, ':<id>:'],
  [/\b[a-z]{2,10}_(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{6,}\b/g, '<id>'],
  [/(?<![A-Za-z0-9])[A-Za-z0-9]{6,}(?![A-Za-z0-9])/g, word],
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
