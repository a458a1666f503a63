import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openShell } from '../cli/shell.ts';
import { buildImage } from './build-image.ts';
import { startPackageRegistry } from './package-registry.ts';
import { openReader } from './reader.ts';

const read = (path: string) => readFile(new URL(`../../packages/${path}`, import.meta.url), 'utf8');

/** Only ends what hangs: packages of a new project are packed and installed first. */
const timeout = 600_000;

it('a newcomer comes from npm create to an add-on that is Available on three clusters', { timeout }, async () => {
  const readme = await read('addon-sdk/README.md');
  const [, trial] = /^## Try it\n(.*?)^## /ms.exec(readme) ?? [];
  expect(trial).toContain('npm create flotilla-addon');
  const project = JSON.parse(await read('create-flotilla-addon/template/_package.json'));
  const needed = [...Object.keys(project.dependencies), ...Object.keys(project.devDependencies)];
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-newcomer-'));
  try {
    await using registry = await startPackageRegistry(join(directory, 'tarballs'), [
      'create-flotilla-addon',
      ...needed,
    ]);
    const shell = await openShell(directory, [dirname(process.execPath)], {
      npm_config_registry: registry.url,
      npm_config_cache: join(directory, 'npm-cache'),
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    });
    await using reader = openReader(directory, shell);
    await reader.follow(trial ?? '');

    const succeeds = async (line: string): Promise<string> => {
      const { code, out, err } = await shell.run(line);
      expect(code, `${line}\n${err.slice(0, 2000)}`).toBe(0);
      return out;
    };
    await buildImage(shell, join(directory, 'greeter'), join(directory, 'image'));
    const rendered = { code: 0, out: expect.stringContaining('name: greeter-agent') };
    expect(await shell.run('node image/src/main.ts render --cluster=c1')).toMatchObject(rendered);

    // What is published of it: its program, without what lies beside it.
    for (const secret of ['hub.key', 'src/token']) await writeFile(join(directory, 'greeter', secret), 'secret');
    const packed = await succeeds('npm pack --json ./greeter');
    const [{ files }] = JSON.parse(packed.slice(packed.indexOf('[')));
    const paths = files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['package.json', 'dist/main.js', 'dist/addon.js']));
    expect(paths.filter((path: string) => !/^(package\.json|README\.md|dist\/.*\.(js|d\.ts))$/.test(path))).toEqual([]);
    await succeeds('npm --prefix installed install ./greeter-0.1.0.tgz');
    expect(await shell.run('installed/node_modules/.bin/greeter render --cluster=c1')).toMatchObject(rendered);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
