/** The entry of the judge process, which evaluates the answers of targets. See src/runners/judge. */
import { main } from '../src/runners/evaluation/program.ts';

main(process);
