/** Project folders of Playwright checks: kept once by what is in them, and read again. */
import { artifactHeaders } from '../artifacts/headers.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { iso } from './documents.ts';
import { invalid, notFound, violation } from './problem.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** How every ZIP archive begins. */
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** The archive that the text stands for, or `Problem` 400. */
function archiveOf(text: string): Buffer {
  const wrong = (message: string) => invalid([violation('body', ['archive'], 'archive', message)]);
  if (!BASE64.test(text)) throw wrong('must be Base64');
  const archive = Buffer.from(text, 'base64');
  if (!archive.subarray(0, ZIP.length).equals(ZIP)) throw wrong('must be a ZIP archive with files in it');
  return archive;
}

export function codeBundleHandlers({ store }: HandlerContext) {
  return {
    async uploadCodeBundle({ accountId, body }) {
      const { id, bytes, createdAt } = await store.codeBundles.keep(accountId, archiveOf(body.archive));
      return { id, bytes, created_at: iso(createdAt) };
    },
    async downloadCodeBundle({ accountId, params: { id }, header }) {
      const archive = await store.codeBundles.read(accountId, id);
      if (archive === undefined) throw notFound(`code bundle ${id}`);
      header('content-type', 'application/zip');
      for (const [key, value] of Object.entries(artifactHeaders(`${id.slice(0, 12)}.zip`, 'attachment')))
        header(key, value);
      return archive;
    },
  } satisfies HandlersFor<'uploadCodeBundle' | 'downloadCodeBundle'>;
}
