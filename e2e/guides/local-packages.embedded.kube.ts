import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openShell } from '../cli/shell.ts';
import { buildImage } from './build-image.ts';
import { startPackageRegistry } from './package-registry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isOurs = (name: string) => name.includes('flotilla');

/** Only ends what hangs: all packages are packed and installed first. */
const timeout = 600_000;

it('a project made from local packages is installed although none of them is in the registry', {
  timeout,
}, async () => {
  const template = await readFile(join(root, 'packages/create-flotilla-addon/template/_package.json'), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(template);
  const needed = Object.keys({ ...dependencies, ...devDependencies });
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-local-packages-'));
  try {
    await using registry = await startPackageRegistry(join(directory, 'registry'), needed, isOurs);
    const shell = await openShell(directory, [dirname(process.execPath)], {
      npm_config_registry: registry.url,
      npm_config_cache: join(directory, 'npm-cache'),
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    });
    const succeeds = async (line: string) => expect(await shell.run(line), line).toMatchObject({ code: 0 });
    await succeeds(`node ${join(root, 'tools/packages/pack-local.ts')} ${join(directory, 'tarballs')}`);
    await succeeds(
      'npm exec --yes --package=./tarballs/create-flotilla-addon-0.0.0.tgz -- create-flotilla-addon greeter --from tarballs',
    );
    await succeeds('npm --prefix greeter install');
    // Also again, and with what is not there yet.
    await succeeds('npm --prefix greeter install');
    // As the guide adds a package that the project does not have: by its name, npm refuses it because of the overrides.
    await succeeds('sh -c "cd greeter && npm install ./vendor/flotilla-schema-0.0.0.tgz"');
    const { dependencies: added } = JSON.parse(await readFile(join(directory, 'greeter/package.json'), 'utf8'));
    expect(added).toMatchObject({ '@flotilla/schema': 'file:vendor/flotilla-schema-0.0.0.tgz' });
    await succeeds('npm --prefix greeter test');
    await succeeds('npm exec --yes --package=./tarballs/flotilla-0.0.0.tgz -- flotilla --help');

    // Its image needs nothing of this machine but the project.
    await rm(join(directory, 'tarballs'), { recursive: true });
    await buildImage(shell, join(directory, 'greeter'), join(directory, 'image'));
    const rendered = await shell.run('node image/src/main.ts render --cluster=c1');
    expect(rendered).toMatchObject({ code: 0, out: expect.stringContaining('name: greeter-agent') });
    const packed = await shell.run('npm pack --dry-run --json ./greeter');
    expect(packed).toMatchObject({ code: 0, out: expect.not.stringContaining('vendor/') });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
