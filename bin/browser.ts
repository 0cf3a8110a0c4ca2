/** Runs one script of a browser check as a separate process in a cell. See src/runners/browser. */
import { main } from '../src/runners/browser/child/main.ts';

main(process);
