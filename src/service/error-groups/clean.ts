/** Cleans a failure's message of what changes from run to run, and hashes what is left: what error groups go by. */
import { createHash } from 'node:crypto';

/** Messages are cut to this many characters before anything else looks at them. */
const LONGEST = 4000;

const ESC = '\u001b';
const BEL = '\u0007';
/** Control sequences, what sets a title (ended by BEL or by ESC and a backslash), and all other escapes of two characters. */
const ESCAPES = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?|[@-_])`,
  'g',
);
const CONTROLS = /\p{Cc}/gu;

/** In this order: what is longer and more telling goes first, bare numbers last. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, '<time>'],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b(?::\d{1,5}\b)?/g, '<address>'],
  [/\[(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}\](?::\d{1,5}\b)?/gi, '<address>'],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi, '<address>'],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){0,6}:(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4}(?![\w:])/gi, '<address>'],
  [/(?<![\w:/])(?:file:\/\/)?(?:\/[\w.@~+-]+){2,}(?::\d+){0,2}/g, '<path>'],
  [/\b[A-Za-z]:\\(?:[^\\\s:"'<>|]+\\)*[^\\\s:"'<>|]+(?::\d+){0,2}/g, '<path>'],
  [/\b(?:0x)?(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b/gi, '<hash>'],
  [/\b(?=\w*\d)(?=\w*[A-Za-z])\w{20,}\b/g, '<id>'],
  [/(?<![A-Za-z_\d])[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?/gi, '<number>'],
];

/** The message without numbers, ids, hashes, times, addresses, paths and escape sequences. */
export function cleaned(message: string): string {
  let text = message.slice(0, LONGEST).replace(ESCAPES, '').replace(CONTROLS, ' ');
  for (const [pattern, name] of REPLACEMENTS) text = text.replace(pattern, name);
  return text.replace(/\s+/g, ' ').trim();
}

/** SHA-256 of a cleaned message, in hexadecimal. */
export function hashOf(cleanedMessage: string): string {
  return createHash('sha256').update(cleanedMessage).digest('hex');
}
