/** Handles code bundles, the project folders of Playwright checks, which are stored once per content. */

import type { CodeBundleRecord } from '../../store/code-bundles.ts';
import { pageSlice } from '../../store/lists.ts';
import { sendContentRange, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { invalid, notFound, violation } from './problem.ts';

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
  } satisfies Partial<Handlers>;
}
