import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package.json that the checks read. */
export interface Manifest {
  name: string;
  version?: string;
  private?: boolean;
  description?: string | undefined;
  keywords?: readonly string[] | undefined;
  homepage?: string | undefined;
  bugs?: string | undefined;
  license?: string | undefined;
  repository?: { readonly type?: string; readonly url?: string; readonly directory?: string } | undefined;
  exports?: Readonly<Record<string, unknown>>;
  bin?: string | Readonly<Record<string, string>>;
  engines?: Readonly<Record<string, string>> | undefined;
  /** Ours: flags that are set before the program runs. */
  v8Flags?: readonly string[];
  dependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
}

/** One package of the workspace. */
export interface WorkspacePackage {
  /** Relative to the root, with `/`: `packages/kube`. */
  directory: string;
  manifest: Manifest;
}

/** The packages that npm's `workspaces` name, in the order of their directories. */
export function workspacePackages(root: string): WorkspacePackage[] {
  const { workspaces = [] } = readJson<{ workspaces?: string[] }>(join(root, 'package.json'));
  return globSync(workspaces, { cwd: root })
    .map((directory) => directory.replaceAll('\\', '/'))
    .filter((directory) => existsSync(join(root, directory, 'package.json')))
    .sort()
    .map((directory) => ({ directory, manifest: readJson<Manifest>(join(root, directory, 'package.json')) }));
}

/** The manifest of the root. */
export const rootManifest = (root: string): Manifest => readJson<Manifest>(join(root, 'package.json'));

/** A JSON file of the repository, trusted to have the fields of T. */
const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'));
