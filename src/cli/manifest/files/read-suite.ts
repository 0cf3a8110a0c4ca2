/** Packs the Playwright project of a check: `suite` gives `codeBundleId`. */
import { createHash } from 'node:crypto';
import { UsageError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/object.ts';
import type { ManifestEntry } from '../manifest.ts';
import { type CodeValues, replaceInArchive } from './code-variables.ts';
import { pathFrom } from './file-tree.ts';
import type { EntryFiles } from './read-code.ts';

const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((one): one is string => typeof one === 'string') ? value : undefined;

/** Returns the archive as an entry, whose key is its ID. Undefined: it cannot be packed, which is reported. */
export async function readSuite(
  suite: string,
  fields: JsonObject,
  { tree, locate, addProblem, addWarning }: EntryFiles,
  codeValues: CodeValues,
): Promise<ManifestEntry | undefined> {
  if (fields.codeBundleId !== undefined) {
    addProblem(['suite'], 'cannot be combined with codeBundleId; remove one of them');
    return undefined;
  }
  const folder = pathFrom(locate(['suite']).file, suite);
  const { playwrightConfigPath: config } = fields;
  const [include, exclude] = [texts(fields.include), texts(fields.exclude)];
  try {
    const { archive: packed, warning } = await tree.packSuite(folder, {
      ...(include ? { include } : {}),
      ...(exclude ? { exclude } : {}),
      ...(typeof config === 'string' ? { config } : {}),
    });
    if (warning !== undefined) addWarning(['suite'], `suite: ${folder} ${warning}`);
    const archive = replaceInArchive(packed, codeValues);
    const id = createHash('sha256').update(archive).digest('hex');
    return {
      section: 'codeBundles',
      key: id,
      hasOwnKey: false,
      name: id,
      body: { archive: archive.toString('base64') },
      written: {},
      formatLocation: () => locate(['suite']).place,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const { message } of error.details) addProblem(['suite'], `suite: ${folder}: ${message}`);
    if (error.details.length === 0) throw error;
    return undefined;
  }
}
