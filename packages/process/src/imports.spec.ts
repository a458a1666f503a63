import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const script = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import(process.argv[1]);
  console.log(JSON.stringify(loaded));
`;

/** The packages that a process loads which imports nothing but an entry of this one. */
async function packagesOf(entry: string): Promise<Set<string>> {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, file]);
  const loaded: string[] = JSON.parse(run.stdout);
  const names = loaded.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

describe('importing', () => {
  it('@flotilla/process loads a log and a metrics library, but not the text formatter until it is needed', async () => {
    const packages = await packagesOf('./index.ts');
    expect(packages).toContain('pino');
    expect(packages).toContain('prom-client');
    for (const name of ['pino-pretty', '@kubernetes/client-node']) expect(packages).not.toContain(name);
  });

  it('@flotilla/process/webhooks loads neither', async () => {
    const packages = await packagesOf('./webhooks/index.ts');
    for (const name of ['pino', 'prom-client']) expect(packages).not.toContain(name);
  });
});
