import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ensureGoPrograms } from '@flotilla/envtest';

const moduleDirectory = fileURLToPath(new URL('.', import.meta.url));
const path = 'sigs.k8s.io/aws-iam-authenticator';

/** Where aws-iam-authenticator is; compiles it where that was never done. */
export async function authenticatorProgram(): Promise<string> {
  const goMod = await readFile(`${moduleDirectory}/go.mod`, 'utf8');
  const version = /^\s*sigs\.k8s\.io\/aws-iam-authenticator (v\S+)/m.exec(goMod)?.[1];
  if (!version) throw new Error(`${moduleDirectory}go.mod requires no version of ${path}`);
  const { authenticator } = await ensureGoPrograms({
    name: 'aws-iam-authenticator',
    version,
    moduleDirectory,
    packages: { authenticator: `${path}/cmd/aws-iam-authenticator` },
    linkerFlags: '-s -w',
    announcement: `compiling aws-iam-authenticator ${version}; the first time this takes about 2 minutes on 2 cores`,
    withoutGo: (why) =>
      `the suites about AWS need aws-iam-authenticator, and it cannot be compiled: ${why}. Install Go`,
  });
  return authenticator;
}
