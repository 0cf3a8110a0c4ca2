/** Runs once before all tests: what a developer's own shell holds must not change an answer. */
export default function setup(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('SONDE_') && !name.startsWith('SONDE_TEST_')) delete process.env[name];
  }
}
