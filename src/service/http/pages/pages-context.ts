/** Defines the dependencies of the pages. */
import type { Clock } from '../../../base/clock.ts';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Store } from '../../store/index.ts';
import type { Authenticate } from '../api/authentication.ts';

export interface PagesContext {
  readonly store: Store;
  readonly engine: Engine;
  /** Opens the file of an artifact; undefined if it was deleted. */
  readonly openArtifact: (id: string) => Promise<FileDownload | undefined>;
  readonly clock: Clock;
  /** Returns the caller of an API key, which is required to start a run from a page. */
  readonly authenticate: Authenticate;
  /** The secret that signs links, forms and cookies. */
  readonly secret: string;
  /** Whether an SMTP server is configured, without which nobody can subscribe by e-mail. */
  readonly canSendEmail: boolean;
  /** Returns the public URL (`https://sonde.example.com`) once the service listens. */
  readonly publicUrl: () => string | undefined;
}
