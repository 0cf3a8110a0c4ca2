/** Removes secrets from a Playwright trace: a ZIP archive of JSON lines and files that pages loaded. */
import { isUtf8 } from 'node:buffer';
import { createScrubber, secretForms } from '../../masking/scrub.ts';
import { createZipWriter, readZipEntries, readZipEntry } from './zip.ts';

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
    const isLines = LINE_FILES.test(entry.name);
    const buffer = createBuffer(isLines ? 'a line of the trace' : 'a file in the trace');
    for await (const part of readZipEntry(fd, entry)) {
      assertAllowed();
      unpacked += part.length;
      if (unpacked > MAX_BYTES) throw tooLargeError(MAX_BYTES);
      let from = 0;
      for (let at = isLines ? part.indexOf(END_OF_LINE) : -1; at >= 0; at = part.indexOf(END_OF_LINE, from)) {
        buffer.add(part.subarray(from, at));
        await output.write(Buffer.from(`${scrubLine(buffer.takeAll(), scrub)}\n`));
        from = at + 1;
      }
      buffer.add(part.subarray(from));
    }
    const rest = buffer.takeAll();
    await output.write(isLines ? Buffer.from(scrubLine(rest, scrub)) : scrubFile(rest, scrub, forms));
    await output.end();
    assertAllowed();
  }
  zip.end();
}

const tooLargeError = (limit: number, subject = 'it'): Error =>
  new Error(`${subject} is larger than ${limit / 1024 / 1024} MB when decompressed`);

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

function scrubLine(bytes: Buffer, scrub: Scrub): string {
  const line = bytes.toString('utf8');
  try {
    return JSON.stringify(scrub(JSON.parse(line) as unknown));
  } catch {
    return scrub(line);
  }
}

/** Scrubs a file as a whole, and text as text: a secret may be anywhere, and be escaped in more ways than a search for bytes finds. */
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
