/** Runs one suite of tests, as a process of its own in a cell. See src/runners/suite. */
import { main } from '../src/runners/suite/child/main.ts';

void main(process);
