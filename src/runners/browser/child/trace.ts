/** Takes secrets out of a trace of Playwright: a zip of lines of JSON and of what the pages loaded. */
import { isUtf8 } from 'node:buffer';
import { unzipSync, type ZippableFile, zipSync } from 'fflate';
import { scrubber, secretForms } from '../../scrub.ts';

/** What a trace may hold once it is unpacked. */
const MOST_BYTES = 256 * 1024 * 1024;
const MASK = Buffer.from('***');
/** What is packed already gains nothing from being packed again. */
const PICTURE = /\.(?:jpe?g|png|webp|gif|woff2?|zip|gz|br)$/;

/** The trace without the secrets. Throws where it is no zip, or holds too much. */
export function scrubbedTrace(
  zip: Buffer,
  secrets: readonly string[],
  detect?: (text: string) => string,
): Buffer {
  let bytes = 0;
  const files = unzipSync(zip, {
    filter: ({ originalSize }) => {
      bytes += originalSize;
      if (bytes > MOST_BYTES) throw new Error('the trace holds too much');
      return true;
    },
  });
  const scrub = scrubber(secrets, detect);
  const forms = secretForms(secrets).map((form) => Buffer.from(form));
  const scrubbed = Object.entries(files).map(([name, contents]): [string, ZippableFile] => {
    const isLines = /\.(?:trace|network|stacks|json|jsonl)$/.test(name);
    const clean = isLines ? scrubbedLines(contents, scrub) : maskedFile(Buffer.from(contents), scrub, forms);
    return [name, [clean, { level: PICTURE.test(name) ? 0 : 6 }]];
  });
  return Buffer.from(zipSync(Object.fromEntries(scrubbed)));
}

function scrubbedLines(contents: Uint8Array, scrub: <V>(value: V) => V): Buffer {
  const lines = Buffer.from(contents).toString('utf8').split('\n');
  return Buffer.from(lines.map((line) => scrubbedLine(line, scrub)).join('\n'));
}

function scrubbedLine(line: string, scrub: <V>(value: V) => V): string {
  if (line === '') return line;
  try {
    return JSON.stringify(scrub(JSON.parse(line) as unknown));
  } catch {
    return scrub(line);
  }
}

/** What is text is read as such: there a secret may be escaped in more ways than bytes can be looked through for. */
function maskedFile(contents: Buffer, scrub: <V>(value: V) => V, forms: readonly Buffer[]): Buffer {
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
