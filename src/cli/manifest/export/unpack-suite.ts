/** Unpacks the archives of Playwright projects, so that checks name a folder instead of an archive. */
import { posix } from 'node:path';
import { unzipSync } from 'fflate';
import { isCredentialPath } from '../../../base/credential-files.ts';
import { isSafePath } from '../../../base/file-name.ts';
import { isExcluded, zipFiles } from '../../pack/pack-suite.ts';
import { formatName, KINDS } from '../kinds.ts';
import type { DeclaredEntry, SuiteFiles } from './declared-manifest.ts';

const CONFIG = /^playwright\.config\.[cm]?[jt]s$/;

/** Replaces archives by folders, unless packing the folder would give another archive. */
export function unpackSuites(entries: readonly DeclaredEntry[]): readonly DeclaredEntry[] {
  const suites = new Map<unknown, SuiteFiles>();
  for (const { section, fields } of entries) {
    const suite =
      section === 'codeBundles' ? unpack(Buffer.from(String(fields.archive), 'base64')) : undefined;
    if (suite) suites.set(formatName(KINDS.codeBundles, fields), suite);
  }
  const checks = entries.map((entry) => {
    const { codeBundleId, ...fields } = entry.fields;
    const suite = suites.get(codeBundleId);
    const { playwrightConfigPath: config } = fields;
    if (!suite || (typeof config === 'string' && !(posix.normalize(config) in suite))) return entry;
    return { ...entry, fields, suite };
  });
  const needed = new Set(checks.map(({ fields }) => fields.codeBundleId));
  return checks.filter(
    ({ section, fields }) => section !== 'codeBundles' || needed.has(formatName(KINDS.codeBundles, fields)),
  );
}

/** Returns the files by path. Undefined: packing them again would give another archive. */
function unpack(archive: Buffer): SuiteFiles | undefined {
  // The order in which folders are packed.
  const files = Object.fromEntries(Object.entries(unzip(archive)).sort(([a], [b]) => (a < b ? -1 : 1)));
  const paths = Object.keys(files);
  const isFolder = paths.some((path) => CONFIG.test(path)) && Object.entries(files).every(isSafe);
  return isFolder && zipFiles(files).equals(archive) ? files : undefined;
}

const isSafe = ([path, bytes]: readonly [string, Uint8Array]): boolean =>
  isSafePath(path) && !isExcluded(path) && !isCredentialPath(path, () => Buffer.from(bytes).toString());

function unzip(archive: Buffer): SuiteFiles {
  try {
    return unzipSync(archive);
  } catch {
    return {};
  }
}
