/** Starts the evaluator process, which evaluates the answers of targets. See src/runners/evaluation. */
import { main } from '../src/runners/evaluation/program.ts';

main(process);
