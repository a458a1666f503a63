import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPackageFromTarballData, type Package } from '@arethetypeswrong/core';
import type { Manifest, WorkspacePackage } from '../workspace.ts';

/** A package as npm would publish it. */
export interface PackedPackage {
  directory: string;
  manifest: Manifest;
  /** Contents by path within the package: `dist/index.js`. */
  files: ReadonlyMap<string, string>;
  tarball: Uint8Array<ArrayBuffer>;
  /** The same, for "are the types wrong". */
  unpacked: Package;
}

/** Packs the packages with npm, in one go, into an existing directory. */
export async function packInto(
  root: string,
  packages: readonly WorkspacePackage[],
  destination: string,
): Promise<readonly { readonly name: string; readonly filename: string }[]> {
  const workspaces = packages.flatMap(({ directory }) => ['-w', directory]);
  const flags = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...workspaces];
  const { stdout } = await promisify(execFile)('npm', flags, { cwd: root, maxBuffer: 2 ** 27 });
  return JSON.parse(stdout);
}

/** Packs the packages with npm, in one go, and reads the tarballs. */
export async function packAll(root: string, packages: readonly WorkspacePackage[]): Promise<PackedPackage[]> {
  const destination = await mkdtemp(join(tmpdir(), 'flotilla-pack-'));
  try {
    const answers = await packInto(root, packages, destination);
    return await Promise.all(
      answers.map(async ({ name, filename }) => {
        const member = packages.find((candidate) => candidate.manifest.name === name);
        if (!member) throw new Error(`npm packed ${name}, which was not asked for`);
        return { ...member, ...unpack(name, Uint8Array.from(await readFile(join(destination, filename)))) };
      }),
    );
  } finally {
    await rm(destination, { recursive: true });
  }
}

function unpack(name: string, tarball: Uint8Array<ArrayBuffer>) {
  const unpacked = createPackageFromTarballData(tarball);
  const prefix = `/node_modules/${name}/`;
  const paths = unpacked.listFiles();
  const files = new Map(paths.map((path) => [path.slice(prefix.length), unpacked.readFile(path)]));
  return { tarball, unpacked, files };
}
