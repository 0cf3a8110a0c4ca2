/** Writes docs/compatibility.md from the rows that tests of clients have seen (test/clients/rows). */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const rowsFolder = join(root, 'test/clients/rows');
const target = join(root, 'docs/compatibility.md');

const INTRO = `# Compatibility

The service implements an HTTP API that other software also speaks, and the command line works with other deployments of
that API. This page lists what was tested. Tests write it: \`npm run docs\` generates it from \`test/clients/rows\`.`;

const SECTIONS = [
  ['client', 'Clients of the service', 'Software of others against `sonde service start`.'],
  ['deployment', 'Deployments for the command line', 'Our commands against a service of others.'],
];

const NOTES = `## Details

- The service ignores fields that it does not know, and names them in the header \`x-ignored-fields\`. \`?strict=true\`
  refuses them. [Gaps](gaps.md) lists every field and endpoint beyond the specification.
- To use the npm client with your service, give it the address, a key and the account of \`sonde whoami\`:

  \`\`\`text
  export CHECKLY_ENV=local CHECKLY_API_URL=http://127.0.0.1:4100
  export CHECKLY_API_KEY=sk_… CHECKLY_ACCOUNT_ID=…
  export CHECKLY_MQTT_URL=ws://127.0.0.1:4100 # otherwise some commands send the key to a broker of the vendor
  npx checkly deploy
  \`\`\`

- Prism is a proxy that validates requests and responses with an OpenAPI document. To check your own client:

  \`\`\`text
  npx @stoplight/prism-cli proxy docs/openapi.json http://127.0.0.1:4100 --errors --port 4010
  \`\`\`

- The program for the Go SDK needs Go and a checkout of the SDK. It writes its rows and its requests, and \`npm test\`
  repeats the requests:

  \`\`\`text
  node scripts/bench.mjs bench/clients/go-sdk.ts FOLDER VERSION
  \`\`\`
`;

const sinceOf = ({ works, since }) => (works ? (since === 'next' ? 'Unreleased' : since) : '');

function tableOf(files) {
  const rows = files.flatMap(({ client, version, rows: seen }) =>
    seen.map((row) => [
      version === '' ? client : `${client} ${version}`,
      row.area,
      row.works ? 'Yes' : 'No',
      sinceOf(row),
      row.note,
    ]),
  );
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return ['| Software | Use | Works | Since | Reason or limit |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** Returns the text of docs/compatibility.md. */
export async function compatibilityText() {
  const names = (await readdir(rowsFolder)).filter((name) => name.endsWith('.json')).sort();
  const files = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(rowsFolder, name), 'utf8'))),
  );
  const sections = SECTIONS.flatMap(([direction, title, text]) => {
    const some = files.filter((file) => file.direction === direction);
    return some.length === 0 ? [] : [`## ${title}`, text, tableOf(some)];
  });
  return [INTRO, ...sections, NOTES].join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(target, await compatibilityText());
