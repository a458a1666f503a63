import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ensureGoPrograms } from '@flotilla/envtest';

const moduleDirectory = fileURLToPath(new URL('.', import.meta.url));
const commands = 'open-cluster-management.io/ocm/cmd';

/** The programs of Open Cluster Management that suites and benchmarks run beside ours. */
const packages = {
  /** The hub's controllers and webhooks, and the registration agent. */
  registration: `${commands}/registration`,
  /** The work agent, and the hub's controllers for works. */
  work: `${commands}/work`,
  placement: `${commands}/placement`,
  /** The hub's controllers of add-ons. */
  addon: `${commands}/addon`,
  /** The operator, and both agents in one process. */
  'registration-operator': `${commands}/registration-operator`,
  /** `server grpc`, by which clusters join and get works without the hub's API server. */
  server: `${commands}/server`,
} as const;

/** Where each program is; compiles them from the Go module proxy where that was never done. */
export async function ocmPrograms(): Promise<Readonly<Record<keyof typeof packages, string>>> {
  const version = await pinnedVersion();
  return ensureGoPrograms({
    name: 'ocm',
    version,
    moduleDirectory,
    packages,
    linkerFlags: `-s -w -X open-cluster-management.io/ocm/pkg/version.versionFromGit=${version}`,
    announcement: `compiling Open Cluster Management ${version}; the first time this takes about 6 minutes on 2 cores`,
    withoutGo: (why) =>
      `the suites with Open Cluster Management need its programs, and they cannot be compiled: ${why}. Install the Go that e2e/ocm/go.mod asks for`,
  });
}

/** The version stands in go.mod and nowhere else. */
export async function pinnedVersion(): Promise<string> {
  const goMod = await readFile(`${moduleDirectory}/go.mod`, 'utf8');
  const version = /^\s*open-cluster-management\.io\/ocm (v\S+)/m.exec(goMod)?.[1];
  if (!version) throw new Error(`${moduleDirectory}go.mod requires no version of open-cluster-management.io/ocm`);
  return version;
}
