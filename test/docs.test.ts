/** The commands of the documentation run, its links lead somewhere, and its tables are complete. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandFiles, loadCommands } from '../scripts/manifest.mjs';
import { allGlobalOptions, commandSpecOf } from '../src/cli/framework/command-spec.ts';
import { VARIABLES } from '../src/cli/help/lazy/topic-environment.ts';
import { SECTIONS } from '../src/cli/manifest/kinds.ts';
import { createPlan } from '../src/cli/manifest/plan/create-plan.ts';
import type { RemoteState } from '../src/cli/manifest/remote-state.ts';
import { SETTING_TABLES } from '../src/cli/settings/tables.ts';
import { load } from './cli/manifest/files/project-files.ts';
import { blocksOf, testGuide } from './support/guide.ts';
import { needs } from './support/needs.ts';

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].concat(
  ['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
);
/** Pages whose commands run here, and in docs.soak.test.ts. */
const RUN_HERE = [
  ...['docs/getting-started.md', 'docs/release-gate.md', 'docs/reports.md', 'docs/alerts.md'],
  ...['docs/status-pages.md', 'docs/maintenance.md', 'docs/production.md', 'docs/configuration.md'],
  ...[
    'docs/troubleshooting.md',
    'docs/agentic-checks.md',
    'docs/monitoring-as-code.md',
    'docs/dashboards.md',
  ],
];
const RUN_ELSEWHERE = [
  ...['README.md', 'docs/write-checks.md', 'docs/browser-checks.md', 'docs/private-locations.md'],
  // Needs Postgres: see scaling-guide.test.ts.
  'docs/scaling.md',
  // Generated from the commands; test/examples.sampled.test.ts runs its examples.
  'docs/commands.md',
];
const read = (path: string): string => readFileSync(path, 'utf8');
const { commands } = await loadCommands(await commandFiles());

describe('every page', () => {
  test('that has commands is run', () => {
    const found = PAGES.filter((path) => blocksOf(read(path), 'sh').length > 0);
    expect(found.toSorted()).toEqual([...RUN_HERE, ...RUN_ELSEWHERE].toSorted());
  });

  test('has manifests that can be planned', async () => {
    const manifests = PAGES.flatMap((path) => blocksOf(read(path), 'yaml')).filter((text) =>
      SECTIONS.some((section) => text.startsWith(`${section}:`)),
    );
    expect(manifests.length).toBeGreaterThan(0);
    const empty = Object.fromEntries(SECTIONS.map((section) => [section, []])) as unknown as RemoteState;
    for (const text of manifests) {
      const { manifest } = await load({ 'monitoring/a.yaml': text });
      expect(createPlan(manifest, empty, [], { now: 0 }).problems).toEqual([]);
    }
  });

  test('has links that lead to a file and a heading', () => {
    const anchorsOf = (path: string) =>
      [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
    const broken = PAGES.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
        ([link, target = '', anchor]) => {
          const file = target === '' ? path : normalize(join(dirname(path), target));
          const isThere = existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor));
          return isThere ? [] : [`${path}: ${link}`];
        },
      ),
    );
    expect(broken).toEqual([]);
  });

  test.each(['docs', 'docs/decisions'])('is in the index of %s', (folder) => {
    const index = read(`${folder}/README.md`);
    const missing = readdirSync(folder).filter(
      (name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(`(${name})`),
    );
    expect(missing).toEqual([]);
  });

  test('names commands and flags that exist', () => {
    const generated = ['docs/commands.md', 'docs/monitoring-service-api.md', 'CHANGELOG.md'];
    const globals = Object.keys(allGlobalOptions).map((name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    const problems = PAGES.filter((path) => !generated.includes(path)).flatMap((path) => {
      const spans = [...read(path).matchAll(/`(sonde [a-z][^`]*)`/g)].map(([, span = '']) => span);
      const lines = blocksOf(read(path), 'text')
        .join('')
        .split('\n')
        .filter((line) => /^(?:sudo )?sonde /.test(line));
      return [...spans, ...lines].flatMap((line) => {
        const typed = line.replace(/^(?:sudo )?sonde /, '').replaceAll(/"[^"]*"/g, 'VALUE');
        const words = typed.split(/\s+/);
        const nouns = commands.some(({ name }) => name.split(' ')[0] === words[0]) || words[0] === 'help';
        const command = commands.find(({ name }) => `${typed} `.startsWith(`${name} `));
        if (command === undefined)
          return nouns && words.length < 2 ? [] : words[0] === 'help' ? [] : [`${path}: ${line}`];
        const flags = commandSpecOf(command).flags.map(({ flag }) => flag);
        const unknown = words
          .filter((word) => word.startsWith('--'))
          .map((word) => word.slice(2).replace(/=.*/, ''))
          .filter(
            (word) => ![...flags, ...globals].includes(word) && !flags.includes(word.replace(/^no-/, '')),
          );
        return unknown.map((flag) => `${path}: ${line}: --${flag}`);
      });
    });
    expect(problems).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const page = read('docs/configuration.md');

  test('has every variable that sonde reads', () => {
    const names = Object.values(VARIABLES).flatMap((rows) => rows.flatMap(([name]) => name.split(', ')));
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  // test/build/docs.test.ts compares the tables of service and agent with those of the page.
  test('has the flags of service and agent', () => {
    for (const name of ['service start', 'agent start']) {
      const command = commands.find((each) => each.name === name);
      const flags = SETTING_TABLES.find((table) => table.command === name)?.flags;
      expect(Object.keys(flags ?? {})).toEqual(Object.keys(command?.options ?? {}));
    }
  });
});

test('pages and examples name only variables that exist', () => {
  const known = Object.values(VARIABLES).flatMap((rows) => rows.flatMap(([name]) => name.split(', ')));
  // Variables of the example pipelines and of checks.
  const others = ['SONDE_PACKAGE', 'SONDE_SECRET_', 'SONDE_TRACEPARENT'];
  // The changelog also names variables that were removed.
  const pages = PAGES.filter((path) => path !== 'CHANGELOG.md');
  const files = [...pages, ...readdirSync('examples').map((name) => `examples/${name}`)];
  const unknown = files.flatMap((path) =>
    (read(path).match(/\b(?:SONDE|OTEL)_[A-Z_]+/g) ?? [])
      .filter((name) => ![...known, ...others].includes(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('CHANGELOG.md has versions, known sections, and short lines', () => {
  const lines = read('CHANGELOG.md').split('\n');
  const headings = lines.filter((line) => line.startsWith('## '));
  expect(headings[0]).toBe('## [Unreleased]');
  for (const heading of headings.slice(1))
    expect(heading).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  for (const line of lines.filter((each) => each.startsWith('### ')))
    expect(line).toMatch(/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/);
  expect(lines.filter((line) => line.startsWith('- ') && line.split(/\s+/).length > 21)).toEqual([]);
});

test('docs/troubleshooting.md has messages that the program contains', () => {
  const sources = ['src', 'commands'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
      .map((name) => read(join(folder, name))),
  );
  const program = sources.join('\n').replaceAll("\\'", "'");
  const messages = [...read('docs/troubleshooting.md').matchAll(/^\| `([^`]{2,})` \|.*\|.*\|$/gm)].map(
    ([, message = '']) => message,
  );
  expect(messages.length).toBeGreaterThan(70);
  const missing = messages.filter((message) =>
    message.split(/…|: | command "/).some((part) => !program.includes(part.trim())),
  );
  expect(missing).toEqual([]);
});

describe('docs/getting-started.md', () => {
  testGuide('docs/getting-started.md', { startsService: true });
});

describe('docs/release-gate.md', () => {
  const guide = testGuide('docs/release-gate.md');

  test('the gate passes, and fails with 1', () => {
    expect(guide().ran.stdout).toMatch(/^PASSED\tApex record\t/m);
    expect(guide().ran.stdout).toContain('exit code 1\n');
    expect(guide().ran.stdout).toContain('promote\n');
  });
});

describe('docs/reports.md', () => {
  const guide = testGuide('docs/reports.md');

  test('the three reports exist', () => {
    for (const name of ['sonde.xml', 'sonde.md', 'sonde.json'])
      expect(statSync(join(guide().shell.folder, name)).size).toBeGreaterThan(100);
  });
});

describe('docs/alerts.md', () => {
  testGuide('docs/alerts.md');
});

describe('docs/status-pages.md', () => {
  const guide = testGuide('docs/status-pages.md', { needs: [needs('curl')] });

  test('the page is served, and the incident is resolved', async () => {
    expect(guide().ran.stdout).toContain('"name":"Example status"');
    const { stdout } = await guide().shell.run("sonde incidents list --json --jq '.[] | .name'");
    expect(stdout).toBe('Checkout is slow\n');
  });
});

describe('docs/maintenance.md', () => {
  const guide = testGuide('docs/maintenance.md');

  test('the window that a person started and ended is listed', async () => {
    const { stdout } = await guide().shell.run("sonde maintenance list --json --jq '.[] | .name'");
    expect(stdout.trim().split('\n').sort()).toEqual(['Database upgrade', 'New disk']);
  });
});

describe('docs/monitoring-as-code.md', () => {
  const guide = testGuide('docs/monitoring-as-code.md');

  test('the resources are planned, applied, renamed and exported', () => {
    const { stdout } = guide().ran;
    expect(stdout).toContain('Plan: 5 to create.\n');
    expect(stdout).toContain('Plan: 1 to rename, 4 unchanged.\n');
    expect(stdout).toContain('No changes since the last apply. 5 resources are as applied.\n');
    expect(stdout).toMatch(/^PASSED\tShop\t/m);
    expect(stdout).not.toContain('sk_example');
  });
});

describe('docs/production.md', () => {
  const guide = testGuide('docs/production.md', { needs: [needs('curl')] });

  test('the key is revoked, the backup is private, and the file names the restored check', async () => {
    const { folder, run } = guide().shell;
    expect(statSync(join(folder, 'monitoring.backup')).mode & 0o777).toBe(0o600);
    expect((await run('sonde service keys --json')).stdout).not.toContain('deploy');
    expect((await run('grep -c "name: Apex" shop.yaml')).stdout).toBe('1\n');
    expect(guide().ran.stdout).toMatch(/^sonde_attempts_total \d+$/m);
  });
});

describe('docs/configuration.md', () => {
  testGuide('docs/configuration.md');
});

describe('docs/troubleshooting.md', () => {
  testGuide('docs/troubleshooting.md');
});

describe('docs/agentic-checks.md', () => {
  const guide = testGuide('docs/agentic-checks.md');

  test('the service names the model', () => {
    expect(guide().ran.stdout).toContain('qwen3:14b');
  });
});

describe('docs/decisions', () => {
  const numbered = readdirSync('docs/decisions').filter((name) => name !== 'README.md');

  test('has pages with consecutive numbers', () => {
    const numbers = numbered.map((name) => Number(name.match(/^(\d{3})-[a-z\d-]+\.md$/)?.[1]));
    expect(numbers).toEqual(numbered.map((_, index) => index + 1));
  });

  test.each(numbered)('%s has a context, a decision and consequences', (name) => {
    const headings = [...read(`docs/decisions/${name}`).matchAll(/^## (.+)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings).toEqual(['Context', 'Decision', 'Consequences']);
  });
});
