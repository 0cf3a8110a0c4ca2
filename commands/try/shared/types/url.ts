/** Exports the contract and the runner of URL checks, without those of other types. */
export { createUrlCheck as create } from '../../../../src/contract/index.ts';
export { run } from '../../../../src/runners/http/url-runner.ts';
