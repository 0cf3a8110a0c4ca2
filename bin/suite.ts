/** Runs one test suite as a separate process in a cell. See src/runners/suite. */
import { main } from '../src/runners/suite/child/main.ts';

void main(process);
