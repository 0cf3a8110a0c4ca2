/** Project folders of Playwright checks: kept once by what is in them, and read again. */

import type { CodeBundleRecord } from '../../store/code-bundles.ts';
import { pageSlice } from '../../store/page-slice.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { iso } from './documents.ts';
import { sendRange } from './pages.ts';
import { invalid, notFound, violation } from './problem.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** How every ZIP archive begins. */
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** The archive that the text stands for, or `Problem` 400. */
function archiveOf(text: string): Buffer {
  const wrong = (message: string) => invalid([violation('body', ['archive'], 'archive', message)]);
  if (!BASE64.test(text)) throw wrong('must be Base64');
  const archive = Buffer.from(text, 'base64');
  if (!archive.subarray(0, ZIP.length).equals(ZIP))
    throw wrong('must be a ZIP archive with at least one file');
  return archive;
}

const shown = ({ id, bytes, createdAt }: CodeBundleRecord) => ({ id, bytes, created_at: iso(createdAt) });

export function codeBundleHandlers({ store, storage }: HandlerContext) {
  return {
    async uploadCodeBundle({ accountId, body }) {
      await storage.admit('codeBundles', body.archive.length);
      return shown(await store.codeBundles.save(accountId, archiveOf(body.archive)));
    },
    async listCodeBundles({ accountId, query, header }) {
      const slice = pageSlice(query);
      const found = await store.codeBundles.list(accountId, slice);
      sendRange(header, slice.offset, found.length, await store.codeBundles.count(accountId));
      return found.map(shown);
    },
    async getCodeBundle({ accountId, params: { id } }) {
      const [known] = await store.codeBundles.list(accountId, { id });
      const archive = known && (await store.codeBundles.read(accountId, id));
      if (known === undefined || archive === undefined) throw notFound(`code bundle ${id}`);
      return { ...shown(known), archive: archive.toString('base64') };
    },
  } satisfies HandlersFor<'uploadCodeBundle' | 'listCodeBundles' | 'getCodeBundle'>;
}
