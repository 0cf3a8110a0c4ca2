/** Describes a manifest to write, and the files that contain it. */
import type { JsonObject } from '../../../base/object.ts';
import type { Section } from '../kinds.ts';

/** One resource as a file declares it. `${NAME}` in its texts is a reference: see `escapeReferences`. */
export interface DeclaredEntry {
  readonly section: Section;
  readonly fields: JsonObject;
  /** The files of a Playwright project, by path. Checks with the same object share a folder. */
  readonly suite?: SuiteFiles;
}

export type SuiteFiles = Readonly<Record<string, Uint8Array>>;

export interface DeclaredManifest {
  readonly project?: string | undefined;
  /** The variables that the files may read. */
  readonly variables?: readonly string[];
  readonly entries: readonly DeclaredEntry[];
}

/** A file to write. The path has `/` and is relative to the folder of the manifest. */
export interface ManifestFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether sonde generates it, so that nobody edits it and it may change without a question. */
  readonly isGenerated?: boolean;
  /** Whether only the owner may read it. */
  readonly isSecret?: boolean;
}
