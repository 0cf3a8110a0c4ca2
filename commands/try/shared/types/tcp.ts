/** Exports the contract and the runner of TCP checks, without those of other types. */
export { createTcpCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/tcp/runner.ts';
