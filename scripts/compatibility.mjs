/** Writes docs/compatibility.md from the rows that tests of clients have seen (test/clients/rows) and the results of the league. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const rowsFolder = join(root, 'test/clients/rows');
const leagueFile = join(root, 'bench/league/results.json');
const target = join(root, 'docs/compatibility.md');

const INTRO = `# Compatibility

The service implements an HTTP API that other software also speaks, and the command line works with other deployments of
that API. This page lists what was tested. \`npm run docs\` generates it from \`test/clients/rows\`, which tests write, and
from \`bench/league/results.json\`, which \`npm run league\` writes.`;

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

const LEAGUE = `## Verdicts beside other monitors

\`npm run league\` puts sonde and other monitors before the same servers on loopback. Each target is made so that its right
verdict is known. A false green is a bad target that passes, a false alarm a good target that fails. A monitor that cannot
express a target is not wrong. The \`checkly\` CLI is not in the table: it runs checks only in the vendor's cloud and in its
agents.`;

const cellOf = ({ right, falseGreens, falseAlarms, notExpressible }) =>
  [
    `${right} right`,
    ...(falseGreens > 0 ? [`**${falseGreens} false green**`] : []),
    ...(falseAlarms > 0 ? [`${falseAlarms} false alarm`] : []),
    ...(notExpressible > 0 ? [`${notExpressible} not expressible`] : []),
  ].join(', ');

const sumOf = (cells) =>
  Object.fromEntries(
    ['right', 'falseGreens', 'falseAlarms', 'notExpressible'].map((field) => [
      field,
      cells.reduce((sum, cell) => sum + cell[field], 0),
    ]),
  );

/** Returns the section of the league: a row for each kind of target, and why sonde differs from all others. */
function leagueText({ runners, kinds, differences }) {
  const total = {
    kind: 'All',
    targets: kinds.reduce((sum, { targets }) => sum + targets, 0),
    runners: runners.map((_, index) => sumOf(kinds.map((kind) => kind.runners[index]))),
  };
  const rows = [...kinds, total].map((kind) => [kind.kind, kind.targets, ...kind.runners.map(cellOf)]);
  const lines = [['Targets', 'Count', ...runners], rows[0].map(() => '---'), ...rows];
  const reasons = differences.map(
    ({ kind, targets, why }) =>
      `- **${kind}** (${targets.length === 1 ? '1 target' : `${targets.length} targets`}): ${why}`,
  );
  return [
    LEAGUE,
    lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    'sonde differs from all others that can express the target:',
    reasons.join('\n'),
  ].join('\n\n');
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
  const league = JSON.parse(await readFile(leagueFile, 'utf8'));
  return [INTRO, ...sections, leagueText(league), NOTES].join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(target, await compatibilityText());
