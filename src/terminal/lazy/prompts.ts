/** @inquirer/prompts, loaded only when a person is really asked. */
export { checkbox, confirm, input, password, select } from '@inquirer/prompts';
