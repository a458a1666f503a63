import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { expect, test } from 'vitest';
import { findFreePort } from '../processes/free-port.ts';
import { binaryNames } from './binaries.ts';
import { ensureBinaries, findBinaries } from './ensure-binaries.ts';
import { pinnedVersions } from './versions.ts';

const versions = await pinnedVersions();

/** A machine of its own: an empty cache, and a PATH with nothing but what the test puts there. */
const machine = () => {
  const home = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  const path = join(home, 'bin');
  mkdirSync(path);
  const lines: string[] = [];
  return {
    lines,
    cache: join(home, 'flotilla', 'kube'),
    options: {
      env: { XDG_CACHE_HOME: home, PATH: path },
      log: (line: string) => void lines.push(line),
      clock: realClock,
    },
    put(directory: string, names: readonly string[]) {
      mkdirSync(directory, { recursive: true });
      for (const name of names) writeFileSync(join(directory, name), '', { mode: 0o755 });
      return directory;
    },
    fillCache(manifest: object) {
      const directory = this.put(join(this.cache, versions.kubernetes), binaryNames);
      writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
      return directory;
    },
    installGo: (script: string) => writeFileSync(join(path, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  };
};

/** Writes its arguments into the file that it should make. */
const fakeGo = `
[ "$1" = version ] && exit 0
while [ "$1" != -o ]; do all="$all $1"; shift; done
echo "$CGO_ENABLED$all $3" > "$2"
/bin/chmod +x "$2"`;

test('KUBEBUILDER_ASSETS comes first', async () => {
  const here = machine();
  here.fillCache({ ...versions, origin: 'build' });
  const assets = here.put(join(here.cache, 'assets'), binaryNames);
  const env = { ...here.options.env, KUBEBUILDER_ASSETS: assets };
  const found = await ensureBinaries({ ...here.options, env });
  expect([found.directory, found.origin]).toEqual([assets, 'assets']);
  expect(found.path('etcd')).toBe(join(assets, 'etcd'));
});

test('KUBEBUILDER_ASSETS without one of the files names it, rather than falling back', async () => {
  const { options, put, cache } = machine();
  const assets = put(join(cache, 'assets'), ['etcd', 'kube-apiserver', 'kubectl']);
  const env = { ...options.env, KUBEBUILDER_ASSETS: assets };
  await expect(findBinaries(env)).rejects.toThrow(
    `BinariesMissing: KUBEBUILDER_ASSETS is ${assets}, which has no executable file kube-controller-manager`,
  );
});

test('the cache comes second', async () => {
  const here = machine();
  const directory = here.fillCache({ ...versions, origin: 'build' });
  expect((await ensureBinaries(here.options)).directory).toBe(directory);
  expect((await findBinaries(here.options.env))?.directory).toBe(directory);
});

test.each([
  ['of another etcd', { ...versions, etcd: 'v3.0.0', origin: 'build' }],
  ['without a manifest', undefined],
])('a cache %s does not count', async (_what, manifest) => {
  const here = machine();
  const directory = here.fillCache(manifest ?? {});
  if (!manifest) rmSync(join(directory, 'manifest.json'));
  expect(await findBinaries(here.options.env)).toBeUndefined();
});

test('an incomplete cache does not count', async () => {
  const here = machine();
  rmSync(join(here.fillCache({ ...versions, origin: 'build' }), 'kubectl'));
  expect(await findBinaries(here.options.env)).toBeUndefined();
});

test('then they are compiled, stamped, put in the cache as a whole, and progress is reported', async () => {
  const here = machine();
  here.installGo(fakeGo);
  const built = await ensureBinaries(here.options);
  expect(built.directory).toBe(join(here.cache, versions.kubernetes));
  const apiServer = readFileSync(built.path('kube-apiserver'), 'utf8');
  expect(apiServer).toMatch(/^0 build -trimpath -ldflags .*-X k8s.io\/component-base\/version.gitVersion=v1/);
  expect(apiServer.trim()).toMatch(/k8s.io\/kubernetes\/cmd\/kube-apiserver$/);
  expect(here.lines.filter((line) => line.startsWith('compiling ') && line.includes('/4'))).toEqual([
    'compiling etcd (1/4)',
    'compiling kube-apiserver (2/4)',
    'compiling kube-controller-manager (3/4)',
    'compiling kubectl (4/4)',
  ]);
  expect(here.lines).toContain('compiled kubectl (4/4) in 0 s');
  expect(readdirSync(here.cache)).toEqual([versions.kubernetes]);
});

test('of two who ask at once, one compiles and the other waits for it', async () => {
  const here = machine();
  here.installGo(`${fakeGo}; /bin/sleep 0.1`);
  const waiting: string[] = [];
  const [first, second] = await Promise.all([
    ensureBinaries(here.options),
    ensureBinaries({ ...here.options, log: (line) => void waiting.push(line) }),
  ]);
  expect(first.directory).toBe(second.directory);
  const [waited, worked] = [here.lines, waiting].sort((a, b) => a.length - b.length);
  expect(waited).toEqual([expect.stringMatching(`^waiting for process ${process.pid}, `)]);
  expect(worked?.length).toBe(9);
});

test('without Go the error names three ways', async () => {
  const { options, cache } = machine();
  const error = await ensureBinaries(options).catch((caught: Error) => caught);
  expect(String(error)).toMatch(
    /^EnvtestError: BinariesMissing: .*cannot be compiled: Go is not installed\. Three ways/,
  );
  for (const way of [
    '1. set KUBEBUILDER_ASSETS',
    '2. install the Go',
    '3. flotilla-envtest binaries --source download',
  ]) {
    expect(String(error)).toContain(way);
  }
  expect(readdirSync(cache)).toEqual([]);
});

test('with a Go that is too old the error repeats what Go says', async () => {
  const { options, installGo } = machine();
  installGo('echo "go.mod requires go >= 1.26.0 (running go 1.20)" >&2; exit 1');
  await expect(ensureBinaries(options)).rejects.toThrow(/requires go >= 1\.26\.0 \(running go 1\.20\)\. Three ways/);
});

test('a failed compilation shows what the compiler said and leaves no half cache', async () => {
  const { options, installGo, cache } = machine();
  installGo('[ "$1" = version ] && exit 0; echo "no space left on device" >&2; exit 1');
  await expect(ensureBinaries(options)).rejects.toThrow(/^BuildFailed: go build of .*\nno space left on device$/);
  expect(readdirSync(cache)).toEqual([]);
});

test('an explicit source is not satisfied by a cache of other origin', async () => {
  const here = machine();
  here.fillCache({ ...versions, origin: 'build' });
  const hosts = { kubernetes: `http://127.0.0.1:${await findFreePort()}` };
  await expect(ensureBinaries({ ...here.options, source: 'download', hosts })).rejects.toThrow(/^DownloadFailed: /);
  await expect(ensureBinaries({ ...here.options, source: 'assets' })).rejects.toThrow('KUBEBUILDER_ASSETS is not set');
});
