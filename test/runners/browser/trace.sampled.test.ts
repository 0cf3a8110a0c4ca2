/** Secrets are taken out of a trace entry by entry: whatever the archive is, and without holding it. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scrubTrace } from '../../../src/runners/browser/child/scrub-trace.ts';
import { runs } from '../../support/sampled.ts';

const SECRET = 'p&ss <w"rd>/1';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-trace-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The archive without the secret, as it is told onwards. */
async function scrubbed(archive: Uint8Array, goOn = () => {}): Promise<Buffer> {
  const path = join(folder, 'trace.zip');
  writeFileSync(path, archive);
  const fd = openSync(path, 'r');
  const parts: Uint8Array[] = [];
  const tell = (part: Uint8Array) => void parts.push(Buffer.from(part));
  try {
    await scrubTrace(fd, archive.length, { secrets: [SECRET], onPart: tell, assertAllowed: goOn });
  } finally {
    closeSync(fd);
  }
  return Buffer.concat(parts);
}

const forms = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')];
const seen = (contents: Uint8Array) => forms.filter((form) => Buffer.from(contents).includes(form));

it('masks the secret in lines, in what pages loaded and in bytes, and keeps all else as it was', async () => {
  const archive = zipSync({
    'trace.trace': strToU8(`{"a":${JSON.stringify(`say ${SECRET}`)}}\n{"b":2}\nno JSON ${SECRET}`),
    'trace.network': strToU8(`{"url":"/?q=${encodeURIComponent(SECRET)}"}\n`),
    'resources/page.html': strToU8(`<p>${SECRET}</p>`),
    'resources/blob.bin': Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`x${SECRET}y`),
      Buffer.from([0xff]),
    ]),
    'resources/picture.jpeg': [Buffer.from([0xff, 0xd8, 1, 2, 3]), { level: 0 }],
    'empty.json': new Uint8Array(),
  });
  const files = unzipSync(await scrubbed(archive));
  const texts = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, strFromU8(file, true)]),
  );
  expect(texts).toEqual({
    'trace.trace': '{"a":"say ***"}\n{"b":2}\nno JSON ***',
    'trace.network': '{"url":"/?q=***"}\n',
    'resources/page.html': '<p>***</p>',
    'resources/blob.bin': '\xff\xfex***y\xff',
    'resources/picture.jpeg': '\xff\xd8\x01\x02\x03',
    'empty.json': '',
  });
});

it('leaves no form of the secret in any archive, however its parts come', async () => {
  const piece = fc.oneof(
    fc.constantFrom(...forms),
    fc.string(),
    fc.constantFrom('\n', '{"a":"', '"}', '\n{"b":1}\n'),
    // So long that the secret stands on the edge of what is read at once.
    fc.integer({ min: 65_500, max: 65_600 }).map((length) => 'x'.repeat(length)),
  );
  const contents = fc.array(piece, { maxLength: 12 }).map((pieces) => strToU8(pieces.join('')));
  const name = fc.constantFrom(
    'trace.trace',
    '0.network',
    'a.stacks',
    'resources/a.css',
    'resources/b',
    'c.png',
  );
  const level = fc.constantFrom(0 as const, 1 as const, 9 as const);
  const count = runs(20, 40);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, contents, level), { maxLength: 5 }), async (entries) => {
      const given: Zippable = Object.fromEntries(
        entries.map(([path, file, packed]) => [path, [file, { level: packed }]]),
      );
      const files = unzipSync(await scrubbed(zipSync(given)));
      expect(Object.keys(files).sort()).toEqual(Object.keys(given).sort());
      for (const file of Object.values(files)) expect(seen(file)).toEqual([]);
    }),
    { numRuns: count },
  );
});

it.each([
  ['no archive', Buffer.from('hello')],
  ['nothing', Buffer.alloc(0)],
  ['half of one', Buffer.from(zipSync({ 'a.trace': strToU8('x'.repeat(1000)) })).subarray(0, 60)],
  ['a list that lies elsewhere', lying((archive, end) => archive.writeUInt32LE(0xfffffff0, end + 16))],
  ['a list without end', lying((archive, end) => archive.writeUInt32LE(0x7fffffff, end + 12))],
  [
    'entries that lie elsewhere',
    lying((archive, end) => archive.writeUInt32LE(1e9, archive.readUInt32LE(end + 16) + 42)),
  ],
  [
    'entries that are longer',
    lying((archive, end) => archive.writeUInt32LE(1e9, archive.readUInt32LE(end + 16) + 20)),
  ],
  [
    'another way of packing',
    lying((archive, end) => archive.writeUInt16LE(12, archive.readUInt32LE(end + 16) + 10)),
  ],
])('reads %s as no trace', async (_, archive) => {
  await expect(scrubbed(archive)).rejects.toThrow(/it is not a ZIP archive|invalid/);
});

/** An archive of which one thing is not so. */
function lying(change: (archive: Buffer, end: number) => void): Buffer {
  const archive = Buffer.from(zipSync({ 'a.trace': strToU8('{"a":1}\n') }));
  change(archive, archive.length - 22);
  return archive;
}

it('refuses what would be too much to hold', async () => {
  const large = zipSync({ 'resources/large.bin': [Buffer.alloc(70e6), { level: 0 }] });
  await expect(scrubbed(large)).rejects.toThrow('a file in the trace is larger than 64 MB when decompressed');
  const endless = zipSync({ 'trace.trace': [Buffer.alloc(70e6, 'x'), { level: 0 }] });
  await expect(scrubbed(endless)).rejects.toThrow(
    'a line of the trace is larger than 64 MB when decompressed',
  );
});

it('stops where there is no time left', async () => {
  const archive = zipSync({ 'trace.trace': strToU8('{"a":1}\n'.repeat(1e5)) });
  let asked = 0;
  const goOn = () => {
    asked += 1;
    if (asked > 2) throw new Error('late');
  };
  await expect(scrubbed(archive, goOn)).rejects.toThrow('late');
});
