/** Defines the dependencies of the pages. */
import type { Store } from '../../store/index.ts';
import type { Authenticate } from '../api/authentication.ts';
import type { HandlerContext } from '../api/handler.ts';

export interface PagesContext
  extends Pick<HandlerContext, 'engine' | 'clock' | 'publicUrl' | 'artifacts' | 'deliveries'> {
  readonly store: Store;
  /** Returns the caller of an API key, which is required to sign in or to start a run from a page. */
  readonly authenticate: Authenticate;
  /** The secret that signs links, forms and cookies. */
  readonly secret: string;
}
