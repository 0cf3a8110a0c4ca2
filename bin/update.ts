/**
 * Asks which version is the newest, as a process of its own that nobody waits for, and remembers it for the next command:
 * `update STATE-FILE REGISTRY NAME REPOSITORY`. Says nothing, whatever happens.
 */
async function main(): Promise<void> {
  const [file = '', registry = '', name = '', repository = ''] = process.argv.slice(2);
  const { fetchLatestVersion } = await import('../src/updates/fetch-latest-version.ts');
  const latest = await fetchLatestVersion({ name, repository }, registry, process.env);
  const { readUpdateState, writeUpdateState } = await import('../src/updates/update-state.ts');
  // What is no longer told is not told of: a release may have been taken back.
  writeUpdateState(file, { ...readUpdateState(file), latest });
}

main().then(
  () => process.exit(0),
  () => process.exit(1),
);
