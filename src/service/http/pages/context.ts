/** What the pages that people open work with. */
import type { Clock } from '../../../base/clock.ts';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Store } from '../../store/index.ts';
import type { Authenticate } from '../api/authentication.ts';

export interface PagesContext {
  readonly store: Store;
  readonly engine: Engine;
  /** The file of an artifact; undefined where there is none any more. */
  readonly openArtifact: (id: string) => Promise<FileDownload | undefined>;
  readonly clock: Clock;
  /** Whose an API key is: a link to read a run starts none. */
  readonly authenticate: Authenticate;
  /** What capabilities in links, forms and cookies are made with. */
  readonly secret: string;
  /** Whether an SMTP server is configured: without one nobody can subscribe by e-mail. */
  readonly sendsMail: boolean;
  /** Where people reach the service (`https://sonde.example.com`), once it listens. */
  readonly publicUrl: () => string | undefined;
}
