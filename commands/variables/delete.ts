/** `sonde variables delete`, and its alias `sonde delete variable` (endpoint 17). */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { variables } from '../../src/cli/resources/variables.ts';
import { deleteVariable } from '../../src/contract/index.ts';

export const command = deleteCommand(variables, deleteVariable);
