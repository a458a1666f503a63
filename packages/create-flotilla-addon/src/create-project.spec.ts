import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProject } from './index.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'create-flotilla-addon-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('a project for an add-on', () => {
  it('is named like its directory, and depends on packages of this version', async () => {
    const made = await createProject(join(directory, 'deep', 'net-probe'));
    expect(made).toMatchObject({ name: 'net-probe', directory: join(directory, 'deep', 'net-probe') });
    expect(made.files).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'package.json', join('src', 'addon.ts'), 'tsconfig.json']),
    );
    const texts = await Promise.all(made.files.map((file) => readFile(join(made.directory, file), 'utf8')));
    for (const text of texts) expect(text).not.toMatch(/my-addon|0\.0\.0-flotilla/);
    const manifest = JSON.parse(await readFile(join(made.directory, 'package.json'), 'utf8'));
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(manifest).toMatchObject({ name: 'net-probe', dependencies: { '@flotilla/addon-sdk': `^${version}` } });
    expect(await readFile(join(made.directory, 'src', 'addon.ts'), 'utf8')).toContain("name: 'net-probe'");
  });

  it.each([
    ['20.20.2', 1, 'net-probe needs Node 24 or newer, and this is v20.20.2\n'],
    ['24.0.0', 0, ''],
  ])('runs its tests on Node %s: exit code %d', async (node, status, stderr) => {
    const { directory: project } = await createProject(join(directory, 'net-probe'));
    const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
    const [, guard = ''] = /^node -e "(.*)"$/.exec(scripts.pretest) ?? [];
    expect(guard).not.toBe('');
    const set = (name: string, value: string) => `Object.defineProperty(process, '${name}', { value: ${value} });`;
    const pretend = `${set('version', `'v${node}'`)} ${set('versions', `{ node: '${node}' }`)}`;
    expect(spawnSync(process.execPath, ['-e', `${pretend} ${guard}`], { encoding: 'utf8' })).toMatchObject({
      status,
      stderr,
    });
  });

  it('has a workflow that publishes it with provenance, after its tests and without a token', async () => {
    const { directory: project, files } = await createProject(join(directory, 'net-probe'));
    expect(files).toContain(join('.github', 'workflows', 'publish.yml'));
    expect(files.filter((file) => file.startsWith('_'))).toEqual([]);
    const workflow = await readFile(join(project, '.github/workflows/publish.yml'), 'utf8');
    expect(workflow).toMatch(/id-token: write.*run: npm test.*run: npm publish --provenance/s);
    expect(workflow).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
  });

  it('has copies of the tarballs that it is made from, and takes its packages and what these need of one another from there', async () => {
    const tarballs = join(directory, 'tarballs');
    await mkdir(tarballs);
    const names = ['addon-sdk', 'api-types', 'fleet', 'kube', 'schema'];
    const files = Object.fromEntries(names.map((name) => [`@flotilla/${name}`, `flotilla-${name}-1.2.3.tgz`]));
    await writeFile(join(tarballs, 'packages.json'), JSON.stringify(files));
    for (const file of Object.values(files)) await writeFile(join(tarballs, file), `bytes of ${file}`);
    const made = await createProject(join(directory, 'net-probe'), { from: tarballs });
    const manifest = JSON.parse(await readFile(join(made.directory, 'package.json'), 'utf8'));
    const at = (name: string) => ({ [`@flotilla/${name}`]: `file:vendor/flotilla-${name}-1.2.3.tgz` });
    expect(manifest).toMatchObject({
      dependencies: { ...at('addon-sdk'), ...at('kube') },
      devDependencies: { ...at('fleet'), typescript: expect.stringMatching(/^\^/) },
      overrides: { ...at('schema'), ...at('kube') },
    });
    for (const file of Object.values(files)) {
      const copy = join('vendor', file);
      expect(made.files).toContain(copy);
      expect(await readFile(join(made.directory, copy), 'utf8')).toBe(`bytes of ${file}`);
    }
    // An image, or a clone, has nothing but the project.
    expect(JSON.stringify(manifest)).not.toContain(directory);
  });

  it('is not made from a directory without packages', async () => {
    await expect(createProject(join(directory, 'probe'), { from: directory })).rejects.toMatchObject({
      message: expect.stringContaining(`${directory} has no packages`),
      hint: expect.stringContaining('npm run pack:local'),
    });
    await expect(readFile(join(directory, 'probe', 'package.json'))).rejects.toThrow('ENOENT');
  });

  it('goes into a directory that is there and empty', async () => {
    await mkdir(join(directory, 'probe'));
    expect(await createProject(join(directory, 'probe'))).toMatchObject({ name: 'probe' });
  });

  it.each(['Probe', '1probe', 'probe_1', '-probe', `p${'x'.repeat(50)}`])(
    'is refused with a name that works and users cannot have: %s',
    async (name) => {
      await expect(createProject(join(directory, name))).rejects.toThrow(`"${name}" cannot be the name of an add-on`);
    },
  );

  it('does not touch a directory with something in it, or a file', async () => {
    await writeFile(join(directory, 'file'), 'mine');
    await expect(createProject(join(directory, 'file'))).rejects.toThrow('cannot be used');
    await mkdir(join(directory, 'probe'));
    await writeFile(join(directory, 'probe', 'notes'), 'mine');
    await expect(createProject(join(directory, 'probe'))).rejects.toThrow('is not empty');
    expect(await readFile(join(directory, 'probe', 'notes'), 'utf8')).toBe('mine');
  });
});
