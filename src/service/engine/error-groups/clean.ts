/** Cleans a failure's message of what changes from run to run, and hashes what is left: what error groups go by. */
import { createHash } from 'node:crypto';
import {
  ADDRESSES,
  BARE,
  FORMS,
  PATHS,
  type Replacement,
  restored,
  SPEAKS_OF_HTTP,
  TELLING,
  TELLING_OF_HTTP,
  withoutKept,
} from './patterns.ts';

/** So much of a message is looked at. What is cleaned is shorter: so the cut does not fall where an id's length says. */
const LOOKED_AT = 16_000;
/** So much of a cleaned message tells failures apart. */
const LONGEST = 2000;

const ESC = '\u001b';
const BEL = '\u0007';
/** Control sequences, what sets a title (ended by BEL or by ESC and a backslash), and all other escapes of two characters. */
const ESCAPES = new RegExp(
  `${ESC}(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^${BEL}${ESC}]{0,2048}(?:${BEL}|${ESC}\\\\)?|[@-_])`,
  'g',
);
/** What is not seen: control characters but for ends of lines, marks of direction and joiners. */
const UNSEEN = /(?![\r\n\t])[\p{Cc}\p{Cf}]/gu;
/** A frame of a stack, as V8 and as Firefox write it. */
const FRAME = /^\s*(?:at (?:async )?\S|[\w$.<>/]{0,80}@(?:file|https?):\/\/)/;
/** A list's mark, or how often a line stands for itself. */
const MARK = /^(?:[-•*·]\s+)?(?:\d{1,6} ?[×x] )?/;
const WIDE_DIGIT = /(?!\d)\p{Nd}/gu;

function replaced(text: string, replacements: readonly Replacement[]): string {
  let done = text;
  for (const [pattern, by] of replacements) {
    done = typeof by === 'string' ? done.replace(pattern, by) : done.replace(pattern, by);
  }
  return done;
}

/** Each line once, and of a stack its first frame alone: how often something was tried, and how deep, changes. */
function withoutRepeats(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  let frames = 0;
  return lines.filter((line) => {
    if (FRAME.test(line)) {
      frames += 1;
      if (frames > 1) return false;
    }
    if (seen.has(line)) return false;
    seen.add(line);
    return true;
  });
}

/** The message without numbers, ids, hashes, times, addresses, paths and escape sequences; at most 2,000 characters. */
export function cleaned(message: string): string {
  const seen = withoutKept(message.slice(0, LOOKED_AT))
    .replace(ESCAPES, '')
    .replace(UNSEEN, '')
    .normalize('NFKC')
    // One character can become eighteen.
    .slice(0, LOOKED_AT)
    .replace(WIDE_DIGIT, '0');
  const lines = seen.split(/[\r\n]+/).map((line) => line.trim().replace(MARK, ''));
  let text = lines.join('\n');
  for (const replacements of [FORMS, ADDRESSES, PATHS, TELLING]) text = replaced(text, replacements);
  if (SPEAKS_OF_HTTP.test(text)) text = replaced(text, TELLING_OF_HTTP);
  text = withoutRepeats(replaced(text, BARE).split('\n')).join(' ');
  return restored(text).replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

/** SHA-256 of a cleaned message, in hexadecimal. */
export function hashOf(cleanedMessage: string): string {
  return createHash('sha256').update(cleanedMessage).digest('hex');
}
