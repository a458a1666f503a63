import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { main } from '../examples/my-agent.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the example of the README', () => {
  it('is the file that is run here', () => {
    expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/my-agent.ts'));
  });

  it('is a program with the flags of registration, of works and of its drivers', async () => {
    let printed = '';
    await main({
      argv: ['--help'],
      env: {},
      print: (text) => {
        printed += text;
      },
      printError: () => {},
      isTerminal: false,
      on: () => () => {},
      exit: () => {},
    });
    for (const flag of ['--spoke-cluster-name', '--status-sync-interval', '--client-cert-expiration-seconds']) {
      expect(printed).toContain(flag);
    }
  });
});
