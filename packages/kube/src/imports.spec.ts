import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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

it('the root has about sixty names, so that one can hold them in one’s head', async () => {
  const text = await readFile(new URL('./index.ts', import.meta.url), 'utf8');
  const names = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').filter((name) => name.trim()),
  );
  expect(names.length).toBeLessThanOrEqual(64);
  expect(text).not.toMatch(/export (type )?\*/);
});

describe('importing', () => {
  it('@flotilla/kube loads neither a log nor a metrics library, and nothing of the official client', async () => {
    expect([...(await packagesOf('./index.ts'))].sort()).toEqual(['rxjs', 'yaml']);
  });
});
