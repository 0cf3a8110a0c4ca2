/** Values of variables: no command that reads files prints or saves them, whatever field they are in, and which may be read. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as plan } from '../../commands/plan.ts';
import { command as seed } from '../../commands/service/seed.ts';
import { command as tryCommand } from '../../commands/try.ts';
import { writeFolder } from '../cli/manifest/files/project-files.ts';
import { envOf } from '../cli/resources/journey.ts';
import { type LineOutcome, runLine } from '../support/command.ts';
import { answer, serveWith } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Each value is in the fields of the same number. Short ones are hidden, too. */
const NAMES = ['P', 'NAME', 'KEY', 'TAG', 'TEXT', 'HOST', 'MINUTES', 'GROUP', 'OLD', 'SHORT'] as const;
const valuesOf = (mark: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(NAMES.map((name) => [name, `zqa-${name.toLowerCase()}`])),
  // These are in fields and in the name of a resource with a key.
  TAG: `zq${mark}-tag`,
  TEXT: `zq${mark}-text`,
  MINUTES: mark === 'a' ? '30' : '60',
  SHORT: mark === 'a' ? 'q7' : 'q8',
  HOST: `zq${mark}-host.example`,
});

const FILE = `
project: "\${P} shop"
variables:
  - P
  - NAME
  - KEY
  - TAG
  - TEXT
  - HOST
  - MINUTES
  - GROUP
  - OLD
  - SHORT
  - { key: TEXT_OF, value: "\${TEXT}" }
groups:
  - { name: "Group \${GROUP}", tags: ["\${TAG}"], environmentVariables: [{ key: E, value: "\${TEXT}" }] }
services:
  - { name: "Service \${NAME}" }
snippets:
  - { name: "Snippet \${NAME}", script: "1;" }
statusPages:
  - { name: "\${NAME}", url: "\${KEY}", cards: [{ name: "\${TAG}", services: ["Service \${NAME}"] }] }
dashboards:
  - { header: "\${NAME}", customUrl: "\${KEY}", tags: ["\${TAG}"] }
maintenanceWindows:
  - { key: "\${KEY}", name: "\${NAME}", startsAt: 2040-01-01T00:00:00Z, endsAt: 2040-01-02T00:00:00Z, tags: ["\${TAG}"] }
alertChannels:
  - { type: EMAIL, config: { address: "\${NAME}@example.com" } }
  - { type: WEBHOOK, config: { name: "\${NAME}", url: "https://\${HOST}/\${KEY}", headers: [{ key: "X-\${TAG}", value: "\${TEXT}" }] } }
checks:
  - { key: "key of \${KEY}", name: "Check \${NAME}", renamedFrom: "Old \${OLD}", checkType: URL, group: "Group \${GROUP}", frequency: "\${MINUTES}", tags: ["\${TAG}", "\${SHORT}"], request: { url: "https://\${HOST}/a" } }
  - { key: short, name: "pre\${SHORT}!", checkType: DNS, request: { query: "\${HOST}" } }
  - { name: "Api \${NAME}", checkType: API, dependsOn: ["Check \${NAME}"], request: { url: "https://\${HOST}/", body: "\${TEXT}", headers: [{ key: A, value: "\${TEXT}" }], assertions: [{ source: TEXT_BODY, comparison: CONTAINS, target: "\${TEXT}" }] } }
`;

const LEAKS = /zq[ab]-|preq[78]!|\bq[78]\b/;

/** Fails if an outcome or a file shows a value. */
function expectHidden(what: string, ...texts: readonly string[]): void {
  for (const text of texts) for (const line of text.split('\n')) expect(line, what).not.toMatch(LEAKS);
}

async function workspace() {
  const own = { ...service, ...(await service.newAccount()) };
  const cwd = await writeFolder({ 'f.yaml': FILE });
  const summary = join(cwd, 'summary.md');
  const run = async (mark: string, command: typeof plan, ...argv: string[]): Promise<LineOutcome> => {
    const env = { ...envOf(own), ...valuesOf(mark), GITHUB_STEP_SUMMARY: summary };
    const outcome = await runLine(command as never, argv, { env, cwd });
    expectHidden(`${command.name} ${argv.join(' ')}`, outcome.stdout, outcome.stderr);
    return outcome;
  };
  return { cwd, summary, run };
}

describe('the value of a variable', () => {
  it('is in no plan, saved plan, summary or outcome', async () => {
    const { cwd, summary, run } = await workspace();
    const first = await run('a', plan, 'f.yaml');
    expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
    expect(first.stdout).toContain(`+ create check "Check \${NAME}"\n`);
    expect(first.stdout).toContain(`+ create check "pre\${SHORT}!"\n`);
    expect(first.stdout).toContain(`+   frequency: \${MINUTES}\n`);
    for (const format of ['json', 'jsonl', 'yaml', 'csv', 'tsv'])
      expect((await run('a', plan, 'f.yaml', '-o', format)).code).toBe(0);
    const { changes } = JSON.parse((await run('a', plan, 'f.yaml', '--json')).stdout);
    expect(changes).toContainEqual(
      expect.objectContaining({ kind: 'check', key: `key of \${KEY}`, name: `Check \${NAME}` }),
    );
    expect((await run('a', plan, 'f.yaml', '--out', 'plan.json')).code).toBe(0);
    expect((await run('a', apply as never, 'plan.json', '--json')).code).toBe(0);
    expectHidden('plan.json', await readFile(join(cwd, 'plan.json'), 'utf8'));

    // Some values are others now, and the deployment has the former ones.
    const next = await run('b', plan, 'f.yaml');
    expect(next.code).toBe(0);
    expect(next.stdout).toContain(`\${TAG} (another value)`);
    expect(next.stdout).toMatch(/to rename/);
    for (const argv of [['--json'], ['--prune'], ['--out', 'next.json'], ['-o', 'tsv']])
      expect((await run('b', plan, 'f.yaml', ...argv)).code).toBe(0);
    expectHidden('next.json', await readFile(join(cwd, 'next.json'), 'utf8'));
    expect((await run('b', seed as never, 'f.yaml', '--dry-run')).code).toBe(0);
    expect((await run('b', apply as never, 'f.yaml', '--yes', '-o', 'tsv')).code).toBe(0);
    expect((await run('b', plan, 'f.yaml')).stdout).toMatch(/No changes\./);
    expect((await run('b', plan, 'f.yaml', '--refresh-only')).code).toBe(0);
    expectHidden('summary.md', await readFile(summary, 'utf8'));
  });

  it('is in no result of try', async () => {
    const { url } = await serveWith((request, response) =>
      answer(response, { status: 500, body: `no ${request.url} for ${request.headers.x}` }),
    );
    const check = `{ name: "Check \${NAME}", key: "\${KEY}", checkType: API, tags: ["\${TAG}"], request: { url: "${url}/\${TEXT}?\${SHORT}x", headers: [{ key: X, value: "\${TEXT}" }] } }`;
    const cwd = await writeFolder({
      'f.yaml': `variables: [NAME, KEY, TAG, TEXT, SHORT]\nchecks: [${check}]`,
    });
    for (const argv of [
      [],
      ['--json'],
      ['-o', 'tsv'],
      ['--report', 'junit:r.xml', '--report', 'json:r.json'],
    ]) {
      const outcome = await runLine(tryCommand, ['f.yaml', ...argv], { env: valuesOf('a'), cwd });
      expect(outcome.code).toBe(1);
      expectHidden(`try ${argv.join(' ')}`, outcome.stdout, outcome.stderr);
      expect(outcome.stdout + outcome.stderr).toContain(`Check \${NAME}`);
    }
    for (const file of ['r.xml', 'r.json']) expectHidden(file, await readFile(join(cwd, file), 'utf8'));
  });

  it('is in no error', async () => {
    const { cwd, run } = await workspace();
    const write = (text: string) => text.replace(/\$([A-Z]+)/g, '$${$1}');
    const changed = (from: string, to: string) => FILE.replace(write(from), write(to));
    const broken = [
      changed('frequency: "$MINUTES"', 'frequency: "$TEXT"'),
      changed('checkType: DNS', 'checkType: "$KEY"'),
      changed('"Api $NAME"', '"Check $NAME"'),
      changed('"pre$SHORT!"', '"Check $NAME"'),
      changed('group: "Group $GROUP"', 'group: "No $GROUP"'),
      changed('project: "$P shop"', 'project: "$P/shop"'),
      changed('script: "1;"', 'scriptFile: "$TEXT.ts"'),
      changed('type: EMAIL, config: { address: "$NAME@example.com" }', 'type: "$KEY", config: {}'),
      changed('dependsOn: ["Check $NAME"]', 'dependsOn: ["Api $NAME"]'),
      changed('startsAt: 2040-01-01T00:00:00Z', 'startsAt: "$TEXT"'),
    ];
    for (const [index, text] of broken.entries()) {
      expect(text, String(index)).not.toBe(FILE);
      await writeFile(join(cwd, 'f.yaml'), text);
      expect((await run('a', plan, 'f.yaml')).code, String(index)).toBe(2);
      expect((await run('a', plan, 'f.yaml', '--json')).code).toBe(2);
      expect((await run('a', apply as never, 'f.yaml', '--yes')).code).toBe(2);
      expect((await run('a', tryCommand as never, 'f.yaml', '--watch=false')).code).not.toBe(0);
    }
  });
});

describe('a variable', () => {
  const file = (list: string) => `${list}services: [{ name: "\${A_ONE}" }, { name: "\${A_TWO}" }]\n`;
  const read = async (text: string, argv: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const own = { ...service, ...(await service.newAccount()) };
    const cwd = await writeFolder({ 'f.yaml': text, 'f.env': 'A_TWO=two\n' });
    const env = { ...envOf(own), A_ONE: 'one', A_TWO: 'two', ...more };
    const { code, stderr } = await runLine(plan, ['f.yaml', ...argv], { cwd, env });
    return code === 0 ? 'read' : stderr;
  };

  it('is read if the files list it, or a pattern matches it', async () => {
    expect(await read(file('variables: [A_ONE, A_TWO]\n'), [])).toBe('read');
    expect(await read(file(''), ['--allow-env', 'A_*'])).toBe('read');
    expect(await read(file(''), ['--allow-env', 'A_ONE', '--allow-env', 'A_TWO'])).toBe('read');
    expect(await read(file('variables: [A_ONE]\n'), ['--secrets', 'f.env'])).toBe('read');
  });

  it('is refused otherwise, with the line to add', async () => {
    expect(await read(file('variables: [A_ONE]\n'), [])).toBe(
      `Error: f.yaml:2:36: files may not read the variable A_TWO: no file lists it in "variables"
add this line to a file of the project, or pass --allow-env A_TWO:
  variables: [A_TWO]
`,
    );
    expect(await read(file('variables: [A_ONE, A_TWO]\n'), ['--allow-env', 'A_T*'])).toContain(
      'files may not read the variable A_ONE: no pattern of --allow-env matches it',
    );
    expect(await read(file(''), ['--allow-env', 'A.*'])).toContain('files may not read the variable A_ONE');
    expect(await read(file('variables: [A-ONE]\n'), [])).toContain('"A-ONE" is not the name of a variable');
  });

  it('is never the API key, under any name', async () => {
    const text = (name: string) => `variables: [${name}]\nservices: [{ name: "\${${name}}" }]\n`;
    for (const name of ['SONDE_API_KEY', 'sonde_api_key'])
      expect(await read(text(name), ['--allow-env', '*'])).toContain(
        `variable ${name} is the API key of sonde`,
      );
    const { apiKey } = await service.newAccount();
    const alias = { SONDE_API_KEY: apiKey, OTHER: `Bearer ${apiKey}` };
    const refused = await read(text('OTHER'), [], alias);
    expect(refused).toContain('variable OTHER is the API key of sonde, which no file may read');
    expect(refused).not.toContain(apiKey);
  });
});
