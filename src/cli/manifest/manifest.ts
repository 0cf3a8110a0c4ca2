/** Describes what the files of a project declare. */
import type { JsonObject } from '../../base/object.ts';
import type { Section } from './kinds.ts';
import type { Taint } from './taint.ts';

export type Path = readonly (string | number)[];

/** One resource that the files declare. */
export interface ManifestEntry {
  readonly section: Section;
  /** Identifies the entry in its section: the `key` of the file, otherwise the name. */
  readonly key: string;
  /** Whether the file has a `key`. False for variables, whose key is their name. */
  readonly hasOwnKey: boolean;
  readonly name: string;
  /** The former name or key of the resource. */
  readonly renamedFrom?: string;
  /** The fields with defaults of folders, contents of files and values of variables; references are names. */
  readonly body: JsonObject;
  /** The fields as the files have them, without the values of variables. */
  readonly written: JsonObject;
  /** Returns file, line and column of a path of `body`, or of its deepest part: `monitoring/checks.yaml:12:5`. */
  readonly formatLocation: (path: Path) => string;
  /** Returns a value of `body` as the file has it, without quotes: `012`. */
  readonly writtenText?: ((path: Path) => string | undefined) | undefined;
}

/** What one or more files declare. */
export interface Manifest {
  /** The project that owns the resources. Undefined: no resource has an owner. */
  readonly project: string | undefined;
  readonly entries: readonly ManifestEntry[];
  /** Secret values, which the state of the project must not contain either. */
  readonly secrets: readonly string[];
  /** The values of variables, and other secrets, which output must not contain. */
  readonly taint: Taint;
}
