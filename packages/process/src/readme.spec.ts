import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runGreeter } from '../examples/greeter.ts';
import type { HostEvent } from './process-host.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows the example in the README', () => {
  expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/greeter.ts'));
});

it('has an example that greets until it is ended', async () => {
  const listeners = new Map<HostEvent, (value: unknown) => void>();
  const { promise: exitCode, resolve: exit } = Promise.withResolvers<number>();
  const { promise: greeted, resolve: greet } = Promise.withResolvers<void>();
  void runGreeter({
    argv: ['--greeting=Ahoy', '--listen=127.0.0.1:0'],
    env: {},
    print: () => {},
    printError: () => {},
    logDestination: { write: (line) => line.includes('Ahoy') && greet() },
    isTerminal: false,
    on(event, listener) {
      listeners.set(event, listener);
      return () => listeners.delete(event);
    },
    exit,
  });
  await greeted;
  listeners.get('SIGTERM')?.(undefined);
  expect(await exitCode).toBe(0);
});
