/** Takes secrets out of a trace of Playwright: a ZIP of lines of JSON and of what the pages loaded, entry by entry. */
import { isUtf8 } from 'node:buffer';
import { scrubber, secretForms } from '../../scrub.ts';
import { contentsOf, entriesOf } from './zip-reader.ts';
import { type EntryInMaking, zipInto } from './zip-writer.ts';

/** What a trace may hold once it is unpacked. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Lines are looked through one by one, and what a page loaded as a whole: so much of it is in memory at most. */
const MOST_AT_ONCE = 64 * 1024 * 1024;
const MASK = Buffer.from('***');
const LINES = /\.(?:trace|network|stacks|json|jsonl)$/;
/** What is packed already gains nothing from being packed again. */
const PICTURE = /\.(?:jpe?g|png|webp|gif|woff2?|zip|gz|br)$/;
const END_OF_LINE = 10;

type Scrub = <V>(value: V) => V;

export interface Scrubbing {
  readonly secrets: readonly string[];
  /** Masks what nobody declared in a text; left out: nothing is looked for. */
  readonly detect?: ((text: string) => string) | undefined;
  /** Given the trace without the secrets, part by part. */
  readonly tell: (part: Uint8Array) => void;
  /** Throws where there is no more time, or no more room. */
  readonly goOn: () => void;
}

/** Reads the trace of so many bytes in an open file. Throws where it is no ZIP, or holds too much. */
export async function scrubTrace(
  fd: number,
  size: number,
  { secrets, detect, tell, goOn }: Scrubbing,
): Promise<void> {
  const scrub = scrubber(secrets, detect);
  const forms = secretForms(secrets).map((form) => Buffer.from(form));
  const zip = zipInto(tell);
  let unpacked = 0;
  for (const entry of entriesOf(fd, size)) {
    const made = zip.begin(scrub(entry.name), PICTURE.test(entry.name));
    const cleaner = LINES.test(entry.name)
      ? cleanLines(scrub)
      : cleanWhole((contents) => maskedFile(contents, scrub, forms));
    for await (const part of contentsOf(fd, entry)) {
      goOn();
      unpacked += part.length;
      if (unpacked > MOST_BYTES) throw tooMuch(MOST_BYTES);
      await cleaner.take(part, made);
    }
    await cleaner.end(made);
    await made.end();
    goOn();
  }
  zip.end();
}

const tooMuch = (most: number, of = 'it'): Error =>
  new Error(`${of} is larger than ${most / 1024 / 1024} MB when decompressed`);

interface Cleaner {
  take(part: Buffer, to: EntryInMaking): Promise<void>;
  end(to: EntryInMaking): Promise<void>;
}

/** Line by line. */
function cleanLines(scrub: Scrub): Cleaner {
  const held = pieces('a line of the trace');
  const line = () => Buffer.from(scrubbedLine(held.all().toString('utf8'), scrub));
  return {
    async take(part, to) {
      let from = 0;
      for (let at = part.indexOf(END_OF_LINE); at >= 0; at = part.indexOf(END_OF_LINE, from)) {
        held.add(part.subarray(from, at));
        await to.write(Buffer.concat([line(), Buffer.of(END_OF_LINE)]));
        from = at + 1;
      }
      held.add(part.subarray(from));
    },
    end: (to) => to.write(line()),
  };
}

/** All of it at once: a secret may stand anywhere in it. */
function cleanWhole(clean: (contents: Buffer) => Buffer): Cleaner {
  const held = pieces('a file in the trace');
  return {
    take: async (part) => held.add(part),
    end: (to) => to.write(clean(held.all())),
  };
}

function pieces(of: string) {
  let held: Buffer[] = [];
  let bytes = 0;
  return {
    add(part: Buffer): void {
      bytes += part.length;
      if (bytes > MOST_AT_ONCE) throw tooMuch(MOST_AT_ONCE, of);
      held.push(part);
    },
    /** Forgets them. */
    all(): Buffer {
      const whole = Buffer.concat(held);
      held = [];
      bytes = 0;
      return whole;
    },
  };
}

function scrubbedLine(line: string, scrub: Scrub): string {
  if (line === '') return line;
  try {
    return JSON.stringify(scrub(JSON.parse(line) as unknown));
  } catch {
    return scrub(line);
  }
}

/** What is text is read as such: there a secret may be escaped in more ways than bytes can be looked through for. */
function maskedFile(contents: Buffer, scrub: Scrub, forms: readonly Buffer[]): Buffer {
  return isUtf8(contents) ? Buffer.from(scrub(contents.toString('utf8'))) : masked(contents, forms);
}

/** Bytes with every form of every secret masked, the longest first. */
function masked(contents: Buffer, forms: readonly Buffer[]): Buffer {
  let clean = contents;
  for (const form of forms) {
    const parts: Buffer[] = [];
    let from = 0;
    for (let at = clean.indexOf(form); at >= 0; at = clean.indexOf(form, from)) {
      parts.push(clean.subarray(from, at), MASK);
      from = at + form.length;
    }
    if (from > 0) clean = Buffer.concat([...parts, clean.subarray(from)]);
  }
  return clean;
}
