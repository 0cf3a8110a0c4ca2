/**
 * Fetches the latest version in a detached process and stores it for the next command:
 * `update STATE-FILE REGISTRY NAME REPOSITORY`. Prints nothing.
 */
async function main(): Promise<void> {
  const [file = '', registry = '', name = '', repository = ''] = process.argv.slice(2);
  const { fetchLatestVersion } = await import('../src/updates/fetch-latest-version.ts');
  const latest = await fetchLatestVersion({ name, repository }, registry, process.env);
  const { readUpdateState, writeUpdateState } = await import('../src/updates/update-state.ts');
  // Overwrites a known version, because a release may have been withdrawn.
  writeUpdateState(file, { ...readUpdateState(file), latest });
}

main().then(
  () => process.exit(0),
  () => process.exit(1),
);
