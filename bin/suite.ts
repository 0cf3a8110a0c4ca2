/** Runs one test suite in its own process in a cell. See src/runners/suite. */
import { main } from '../src/runners/suite/child/main.ts';

void main(process);
