/** What a run of SSL checks needs: their contract and their runner, without those of other types. */
export { createSslCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/ssl.ts';
