/** Handles links that sign a browser in with the API key of the request. */
import { toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';

const LINK_MS = 5 * 60_000;

export function signInLinkHandlers({ store, publicUrl }: HandlerContext) {
  return {
    async createSignInLink({ keyId, body: { path = '/' } }) {
      const { token, expiresAt } = await store.signIns.createLink(keyId, LINK_MS, path);
      return { url: `${publicUrl() ?? ''}/sign-in/${token}`, expiresAt: toIso(expiresAt) };
    },
  } satisfies Partial<Handlers>;
}
