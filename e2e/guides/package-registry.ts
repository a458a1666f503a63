import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A registry of npm on loopback, with packages as this repository would publish them, and what they need. */
export interface PackageRegistry extends AsyncDisposable {
  readonly url: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Published {
  readonly manifest: Manifest;
  readonly directory: string;
}

interface Tarball {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

const manifestIn = async (directory: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));

/** Where a package is installed that another one depends on: its own copy, or that of this repository. */
const installed = (name: string, user: string): string | undefined =>
  [join(user, 'node_modules', name), join(root, 'node_modules', name)].find((path) => existsSync(path));

/** Packages with all that they depend on, as they are installed here: no network is needed. */
async function withDependencies(names: readonly string[]): Promise<Published[]> {
  const found = new Map<string, Published>();
  const visit = async (name: string, user: string): Promise<void> => {
    const path = installed(name, user);
    // Optional ones are for other machines.
    if (!path) return;
    const directory = await realpath(path);
    if (found.has(directory)) return;
    const manifest = await manifestIn(directory);
    found.set(directory, { manifest, directory });
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    for (const dependency of Object.keys(needed)) await visit(dependency, directory);
  };
  for (const name of names) await visit(name, root);
  return [...found.values()];
}

async function pack(published: readonly Published[], destination: string): Promise<Tarball[]> {
  await mkdir(destination, { recursive: true });
  const flags = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const directories = published.map(({ directory }) => directory);
  const { stdout } = await promisify(execFile)('npm', [...flags, ...directories], { cwd: root, maxBuffer: 2 ** 28 });
  const answers: { readonly filename: string }[] = Object.values(JSON.parse(stdout));
  return Promise.all(
    published.map(async ({ manifest }, index) => {
      const { filename = '' } = answers[index] ?? {};
      return { manifest, bytes: await readFile(join(destination, filename)) };
    }),
  );
}

/** A package without optional dependencies that the registry does not have: `npm ci` wants all of them in a lock file. */
function withoutMissing(
  { optionalDependencies = {}, ...manifest }: Manifest,
  published: ReadonlySet<string>,
): Manifest {
  const present = Object.entries(optionalDependencies).filter(([name]) => published.has(name));
  return { ...manifest, optionalDependencies: Object.fromEntries(present) };
}

/** What the registry says about a package. */
function documentOf(url: string, name: string, tarballs: readonly Tarball[], published: ReadonlySet<string>): object {
  const versions = tarballs.map(({ manifest, bytes }) => {
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const tarball = `${url}/-/${name}@${manifest.version}`;
    return [manifest.version, { ...withoutMissing(manifest, published), dist: { tarball, integrity } }] as const;
  });
  return { name, 'dist-tags': { latest: versions[0]?.[0] }, versions: Object.fromEntries(versions) };
}

/** Starts it with some packages and all that they need, but for those that are left out; tarballs are made in the directory. */
export async function startPackageRegistry(
  directory: string,
  names: readonly string[],
  isLeftOut: (name: string) => boolean = () => false,
): Promise<PackageRegistry> {
  const all = await withDependencies(names);
  const published = all.filter(({ manifest }) => !isLeftOut(manifest.name));
  const tarballs = await pack(published, directory);
  const available = new Set(tarballs.map(({ manifest }) => manifest.name));
  let url = '';
  const server = createServer(({ url: path = '' }, response) => {
    const asked = decodeURIComponent(path.slice(1));
    const of = (name: string) => tarballs.filter(({ manifest }) => manifest.name === name);
    const file = tarballs.find(({ manifest: { name, version } }) => asked === `-/${name}@${version}`);
    if (file) response.end(file.bytes);
    else if (of(asked).length > 0) response.end(JSON.stringify(documentOf(url, asked, of(asked), available)));
    else response.writeHead(404).end(JSON.stringify({ error: `${asked} is not in this registry` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
