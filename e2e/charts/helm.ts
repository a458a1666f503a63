import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ensureGoPrograms } from '@flotilla/envtest';

/** The major versions of Helm that charts are tried with. */
export const helmVersions = ['v3', 'v4'] as const;
export type HelmVersion = (typeof helmVersions)[number];

/** Where the program `helm` of a major version is; compiles it where that was never done. */
export async function helmProgram(major: HelmVersion): Promise<string> {
  const moduleDirectory = fileURLToPath(new URL(`helm-${major}/`, import.meta.url));
  const goMod = await readFile(`${moduleDirectory}go.mod`, 'utf8');
  const version = new RegExp(`^\\s*helm\\.sh/helm/${major} (v\\S+)`, 'm').exec(goMod)?.[1];
  if (!version) throw new Error(`${moduleDirectory}go.mod requires no version of helm.sh/helm/${major}`);
  const { helm } = await ensureGoPrograms({
    name: 'helm',
    version,
    moduleDirectory,
    packages: { helm: `helm.sh/helm/${major}/cmd/helm` },
    linkerFlags: '-s -w',
    announcement: `compiling Helm ${version}; the first time this takes about 3 minutes on 2 cores`,
    withoutGo: (why) => `the suites about charts need Helm ${version}, and it cannot be compiled: ${why}. Install Go`,
  });
  return helm;
}
