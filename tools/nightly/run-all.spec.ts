import { expect, it } from 'vitest';
import { runAll } from './run-all.ts';

it('runs what comes after a failure, and gives what failed', () => {
  const ran: string[] = [];
  const commands = ['specs', 'suites', 'summary'].map((command) => ({ command, env: {} }));
  const failed = runAll(commands, ({ command }) => {
    ran.push(command);
    return command !== 'specs';
  });
  expect(ran).toEqual(['specs', 'suites', 'summary']);
  expect(failed).toEqual([commands[0]]);
});
