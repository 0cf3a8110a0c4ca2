/** Exports the contract and the runner of SSL checks, without those of other types. */
export { createSslCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/ssl/runner.ts';
