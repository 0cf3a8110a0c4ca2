/** Collects the licences of bundled packages, which require that their texts are included. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGE = /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

async function licenceOf(root, folder) {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const file = (await readdir(join(root, folder))).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file ? (await readFile(join(root, folder, file), 'utf8')).trim() : `Licence: ${license}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** Returns the folders of the packages among the inputs of the bundles (paths relative to the root). */
export const bundledFolders = (inputs) => [
  ...new Set([...inputs].flatMap((path) => path.match(PACKAGE)?.[0] ?? [])),
];

/** Returns one text for all packages among the inputs of the bundles (paths relative to the root), sorted by name. */
export async function licencesOf(root, inputs) {
  const texts = await Promise.all(bundledFolders(inputs).map((folder) => licenceOf(root, folder)));
  return `sonde holds these packages.\n\n${texts.sort().join(`\n${'-'.repeat(80)}\n\n`)}`;
}
