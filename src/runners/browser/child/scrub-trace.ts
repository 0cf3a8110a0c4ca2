/**
 * Removes secrets from a Playwright trace, entry by entry. A trace is a ZIP archive of JSON lines and files that pages
 * loaded.
 */
import { isUtf8 } from 'node:buffer';
import { createScrubber, secretForms } from '../../scrub.ts';
import { createZipWriter, readZipEntries, readZipEntry, type ZipEntryWriter } from './zip.ts';

const MAX_BYTES = 1024 * 1024 * 1024;
/** Maximum size in memory: lines are processed one by one, other files as a whole. */
const MAX_ENTRY_BYTES = 64 * 1024 * 1024;
const MASK = Buffer.from('***');
const LINE_FILES = /\.(?:trace|network|stacks|json|jsonl)$/;
/** Compressed files, which gain nothing from compression. */
const PACKED_FILES = /\.(?:jpe?g|png|webp|gif|woff2?|zip|gz|br)$/;
const END_OF_LINE = 10;

type Scrub = <V>(value: V) => V;

export interface ScrubTraceOptions {
  readonly secrets: readonly string[];
  readonly detect?: ((text: string) => string) | undefined;
  readonly onPart: (part: Uint8Array) => void;
  /** Throws if time or space has run out. */
  readonly assertAllowed: () => void;
}

/** Scrubs the trace in an open file of `size` bytes. Throws if it is not a ZIP archive or too large. */
export async function scrubTrace(
  fd: number,
  size: number,
  { secrets, detect, onPart, assertAllowed }: ScrubTraceOptions,
): Promise<void> {
  const scrub = createScrubber(secrets, detect);
  const forms = secretForms(secrets).map((form) => Buffer.from(form));
  const zip = createZipWriter(onPart);
  let unpacked = 0;
  for (const entry of readZipEntries(fd, size)) {
    const output = zip.begin(scrub(entry.name), PACKED_FILES.test(entry.name));
    const entryScrubber = LINE_FILES.test(entry.name)
      ? scrubLines(scrub)
      : scrubWhole((contents) => scrubFile(contents, scrub, forms));
    for await (const part of readZipEntry(fd, entry)) {
      assertAllowed();
      unpacked += part.length;
      if (unpacked > MAX_BYTES) throw tooLargeError(MAX_BYTES);
      await entryScrubber.write(part, output);
    }
    await entryScrubber.end(output);
    await output.end();
    assertAllowed();
  }
  zip.end();
}

const tooLargeError = (limit: number, subject = 'it'): Error =>
  new Error(`${subject} is larger than ${limit / 1024 / 1024} MB when decompressed`);

interface EntryScrubber {
  write(part: Buffer, to: ZipEntryWriter): Promise<void>;
  end(to: ZipEntryWriter): Promise<void>;
}

function scrubLines(scrub: Scrub): EntryScrubber {
  const buffer = createBuffer('a line of the trace');
  const line = () => Buffer.from(scrubLine(buffer.takeAll().toString('utf8'), scrub));
  return {
    async write(part, to) {
      let from = 0;
      for (let at = part.indexOf(END_OF_LINE); at >= 0; at = part.indexOf(END_OF_LINE, from)) {
        buffer.add(part.subarray(from, at));
        await to.write(Buffer.concat([line(), Buffer.of(END_OF_LINE)]));
        from = at + 1;
      }
      buffer.add(part.subarray(from));
    },
    end: (to) => to.write(line()),
  };
}

/** Scrubs a file as a whole, because a secret may be anywhere in it. */
function scrubWhole(scrubContents: (contents: Buffer) => Buffer): EntryScrubber {
  const buffer = createBuffer('a file in the trace');
  return {
    write: async (part) => buffer.add(part),
    end: (to) => to.write(scrubContents(buffer.takeAll())),
  };
}

function createBuffer(of: string) {
  let held: Buffer[] = [];
  let bytes = 0;
  return {
    add(part: Buffer): void {
      bytes += part.length;
      if (bytes > MAX_ENTRY_BYTES) throw tooLargeError(MAX_ENTRY_BYTES, of);
      held.push(part);
    },
    takeAll(): Buffer {
      const whole = Buffer.concat(held);
      held = [];
      bytes = 0;
      return whole;
    },
  };
}

function scrubLine(line: string, scrub: Scrub): string {
  if (line === '') return line;
  try {
    return JSON.stringify(scrub(JSON.parse(line) as unknown));
  } catch {
    return scrub(line);
  }
}

/** Scrubs text files as text, because a secret may be escaped in more ways than a search for bytes finds. */
function scrubFile(contents: Buffer, scrub: Scrub, forms: readonly Buffer[]): Buffer {
  return isUtf8(contents) ? Buffer.from(scrub(contents.toString('utf8'))) : maskBytes(contents, forms);
}

/** Masks every form of every secret in bytes, the longest first. */
function maskBytes(contents: Buffer, forms: readonly Buffer[]): Buffer {
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
