/** Handles code bundles, the project folders of Playwright checks, which are stored once per content. */

import { createHash, type Hash } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import type { CodeBundleRecord } from '../../store/code-bundles.ts';
import { pageSlice } from '../../store/lists.ts';
import { sendContentRange, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { invalid, notFound, requireFound, tooManyRequests, violation } from './problem.ts';
import { zipOfTar } from './zip-of-tar.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The first bytes of every ZIP archive. */
const ZIP_SIGNATURE = Buffer.from('PK\x03\x04', 'latin1');

/** Returns the decoded archive. Throws `Problem` 400 if it is not a ZIP archive in Base64. */
function decodeArchive(text: string): Buffer {
  const invalidArchive = (message: string) => invalid([violation('body', ['archive'], 'archive', message)]);
  if (!BASE64.test(text)) throw invalidArchive('must be Base64');
  const archive = Buffer.from(text, 'base64');
  if (!archive.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE))
    throw invalidArchive('must be a ZIP archive with at least one file');
  return archive;
}

const present = ({ id, bytes, createdAt }: CodeBundleRecord) => ({ id, bytes, created_at: toIso(createdAt) });

/** Uploads that are converted at once, in memory: of all accounts, and of each. The others wait unread. */
const convertAny = pLimit(3);
const convertOf = new Map<string, LimitFunction>();
/** Uploads of an account that wait. More would exceed the time of a request, which is not their sender's fault. */
const MAX_WAITING = 4;
const RETRY_AFTER_MS = 10_000;

/** Throws `Problem` 429 if too many uploads of the account wait. */
function convertInTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const own = convertOf.get(accountId) ?? pLimit(1);
  convertOf.set(accountId, own);
  if (own.pendingCount >= MAX_WAITING)
    throw tooManyRequests(undefined, { max: MAX_WAITING, ttl: RETRY_AFTER_MS }, 'waiting uploads');
  return own(() => convertAny(work));
}

async function* hashChunks(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Throws `Problem` 400 if a file is not the one that its sender declares. */
function assertChecksum(declared: string | undefined, sum: Buffer): void {
  if (declared === undefined || declared.toLowerCase() === sum.toString('hex')) return;
  if (declared === sum.toString('base64')) return;
  const message = `has the SHA-256 ${sum.toString('hex')}, and the request declares another one: upload it again`;
  throw invalid([violation('body', [], 'checksum', message)]);
}

/** What a published client knows of a stored archive. */
const presentArchive = ({ id, bytes, createdAt }: CodeBundleRecord) => ({
  key: id,
  lastModified: toIso(createdAt),
  contentLength: bytes,
});

export function codeBundleHandlers({ store, storage }: HandlerContext) {
  return {
    async uploadCodeBundle({ accountId, body }) {
      await storage.admit('codeBundles', body.archive.length);
      return present(await store.codeBundles.save(accountId, decodeArchive(body.archive)));
    },
    async listCodeBundles({ accountId, query, header }) {
      const slice = pageSlice(query);
      const bundles = await store.codeBundles.list(accountId, slice);
      sendContentRange(header, slice.offset, bundles.length, await store.codeBundles.count(accountId));
      return bundles.map(present);
    },
    async getCodeBundle({ accountId, params: { id } }) {
      const [record] = await store.codeBundles.list(accountId, { id });
      const archive = record && (await store.codeBundles.read(accountId, id));
      if (record === undefined || archive === undefined) throw notFound(`code bundle ${id}`);
      return { ...present(record), archive: archive.toString('base64') };
    },
    async uploadProjectArchive({ accountId, upload }) {
      const hash = createHash('sha256');
      const archive = await convertInTurn(accountId, () => zipOfTar(hashChunks(upload.chunks, hash)));
      const sum = hash.digest();
      assertChecksum(upload.declaredSha256, sum);
      await storage.admit('codeBundles', archive.length);
      const record = await store.codeBundles.save(accountId, archive);
      return { ...presentArchive(record), checksumSha256: sum.toString('hex') };
    },

    async peekProjectArchive({ accountId, body: { key } }) {
      const [record] = await store.codeBundles.list(accountId, { id: key });
      return presentArchive(requireFound(record, `code bundle ${key}`));
    },
  } satisfies Partial<Handlers>;
}
