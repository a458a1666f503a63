import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Shell, ShellProgram } from '../cli/shell.ts';
import { missingIn, prints, type Step, stepsOf } from './steps.ts';

/** Somebody who does what guides say, with as many terminals as they ask for. */
export interface Reader extends AsyncDisposable {
  /** Follows a page from its first step to its last. Fails where a command fails, or prints something else than the page shows. */
  follow(page: string): Promise<void>;
}

/** A reader whose files are in the directory. */
export function openReader(directory: string, shell: Shell): Reader {
  const terminals = new Map<string, ShellProgram>();
  const said = () => [...terminals.values()].map((terminal) => terminal.said).join('\n');
  async function take(step: Step): Promise<void> {
    if (step.kind === 'file') await writeFile(join(directory, step.name), step.text);
    else if (step.kind === 'run') {
      await writeFile(join(directory, 'step.sh'), `set -eu\n${step.script}`);
      const { code, out, err } = await shell.run('bash step.sh');
      expect(code, `${step.script}\n${out}${err}${said()}`).toBe(0);
      if (step.expected.length > 0 && !prints(out, step.expected)) expect(out).toBe(step.expected.join('\n'));
    } else if (step.kind === 'start') {
      await writeFile(join(directory, `${step.terminal}.sh`), step.script.replace(/^(?=\S)(?![A-Z]+=)/, 'exec '));
      const terminal = shell.start(`bash '${step.terminal}.sh'`);
      terminals.set(step.terminal, terminal);
      const missing = () => missingIn(terminal.said, step.expected ?? []);
      await expect.poll(missing, { timeout: 100_000, interval: 50, message: step.script }).toBeUndefined();
    } else {
      terminals.get(step.terminal)?.interrupt();
      await terminals.get(step.terminal)?.ended;
    }
  }
  return {
    async follow(page) {
      const steps = stepsOf(page);
      expect(steps.filter(({ kind }) => kind === 'run').length).toBeGreaterThan(0);
      for (const step of steps) await take(step);
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of terminals.values()) await terminal[Symbol.asyncDispose]();
    },
  };
}
