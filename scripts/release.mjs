/**
 * Makes a release: `npm run release -- 0.2.0 [--dry-run]`. Moves the unreleased lines of the changelog below the version,
 * builds, writes the package, its SBOM and checksums to `release/VERSION`, commits and tags. It publishes and pushes
 * nothing. If a step fails or is interrupted, everything is as before.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const changelogFile = join(root, 'CHANGELOG.md');
/** The paths that a release changes. */
const CHANGED = ['CHANGELOG.md', 'package.json', 'package-lock.json', 'docs'];
const UNRELEASED = '## [Unreleased]\n';

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, () => interruption.abort(new Error(`interrupted by ${name}`)));

/** Runs a program and returns its output without the last line break. Throws if it fails or is interrupted. */
async function run(program, args, { signal = interruption.signal } = {}) {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: root,
    signal,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trimEnd();
}

/** Returns the lines of the changelog that the release contains. */
function unreleasedLines(changelog) {
  const [, section = ''] = changelog.split(UNRELEASED);
  return section
    .split('\n## ')[0]
    .split('\n')
    .filter((line) => line.startsWith('- '));
}

/** Returns whether version `a` is newer than `b`; both have three numbers. */
function isNewer(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left.findIndex((number, index) => number !== right[index]);
  return at >= 0 && left[at] > right[at];
}

/** Returns the reasons that forbid the release. */
async function problemsOf({ version, current, lines, folder }) {
  const branch = await run('git', ['branch', '--show-current']);
  const checks = [
    [isNewer(version, current), `${version} is not newer than ${current}`],
    [
      (await run('git', ['status', '--porcelain'])) === '',
      'the working tree has changes: commit or stash them',
    ],
    [branch === 'main', `the branch is ${branch || 'detached'}: run git switch main`],
    [(await run('git', ['tag', '--list', `v${version}`])) === '', `the tag v${version} exists`],
    [lines.length > 0, 'CHANGELOG.md has no unreleased lines'],
    [!existsSync(folder), `${folder} exists: remove it`],
  ];
  return checks.filter(([isGood]) => !isGood).map(([, problem]) => problem);
}

async function sha256Of(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

/** Writes the package, the SBOM of everything in it, and the checksums of both. */
async function writeArtifacts(folder, version) {
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--pack-destination', folder]);
  await copyFile(join(root, 'dist/sbom.cdx.json'), join(folder, `sonde-${version}.cdx.json`));
  const names = (await readdir(folder)).sort();
  const sums = await Promise.all(
    names.map(async (name) => `${await sha256Of(join(folder, name))}  ${name}\n`),
  );
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''));
}

async function perform({ version, date, folder }) {
  const changelog = await readFile(changelogFile, 'utf8');
  await writeFile(changelogFile, changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`));
  await run('npm', ['version', version, '--no-git-tag-version']);
  await run('npm', ['run', 'docs']);
  await writeArtifacts(folder, version);
  await run('git', ['commit', '--quiet', '--message', `release: sonde ${version}`, '--', ...CHANGED]);
  await run('git', ['tag', '--annotate', '--message', `sonde ${version}`, `v${version}`]);
}

/** Undoes everything that `perform` did. An interruption does not stop it. */
async function undo({ version, folder, head }) {
  const git = (...args) => run('git', args, { signal: undefined });
  await rm(folder, { recursive: true, force: true });
  if ((await git('tag', '--list', `v${version}`)) !== '') await git('tag', '--delete', `v${version}`);
  if ((await git('rev-parse', 'HEAD')) !== head) await git('reset', '--quiet', '--soft', head);
  await git('restore', '--staged', '--worktree', '--', ...CHANGED);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const [version = ''] = positionals;
if (positionals.length !== 1 || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('Usage: npm run release -- MAJOR.MINOR.PATCH [--dry-run]');
  process.exit(2);
}

const { version: current } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const lines = unreleasedLines(await readFile(changelogFile, 'utf8'));
const folder = join(root, 'release', version);
const date = new Date().toISOString().slice(0, 10);
const problems = await problemsOf({ version, current, lines, folder });
if (problems.length > 0) {
  console.error(problems.map((problem) => `Error: ${problem}`).join('\n'));
  process.exitCode = 1;
} else if (values['dry-run']) {
  console.log(`Would release sonde ${version} (${date}):
- CHANGELOG.md: move ${lines.length} unreleased lines below ${version}
- package.json, package-lock.json, docs/openapi.json: change the version ${current} to ${version}
- release/${version}: write sonde-${version}.tgz, sonde-${version}.cdx.json and SHA256SUMS
- git: commit "release: sonde ${version}" on main, and tag v${version}`);
} else {
  const head = await run('git', ['rev-parse', 'HEAD']);
  try {
    await perform({ version, date, folder });
    console.log(
      `Released sonde ${version} in release/${version}. To share it: git push origin main v${version}`,
    );
  } catch (error) {
    await undo({ version, folder, head });
    console.error(`Error: ${error.message}\n${error.stdout ?? ''}\nNothing was changed.`);
    process.exitCode = 1;
  }
}
